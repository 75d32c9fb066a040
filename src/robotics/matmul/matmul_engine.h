// y = W x with a matrix whose weights are exchanged while the model runs, on the twin or a device.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "robotics/module.h"

namespace edgetwin::robotics {

// A matrix of real numbers, row by row.
struct Matrix {
  size_t rows = 0, columns = 0;
  std::vector<float> values;
  float& at(size_t r, size_t c) { return values[r * columns + c]; }
  float at(size_t r, size_t c) const { return values[r * columns + c]; }
};

// What real weights are rounded to: the steps that are set, or for each row its largest value /
// 127.
enum class Scales : uint8_t { kept, own };

class MatMulEngine final : public Module {
 public:
  // The model is one dense layer, rows x columns. With a side-car file there is one scale for all
  // weights, the file's `weight_scale`; if `matrix_size` is in it, the matrix has that many rows
  // and columns. Without one the scales are the model's, one per row. Errors: module_model without
  // exchangeable weights, or where the model is not such a layer.
  static Result<MatMulEngine> create(std::shared_ptr<Engine> engine,
                                     std::optional<Sidecar> sidecar = std::nullopt);
  static Result<MatMulEngine> from_template(int n, const TwinOptions& options = {});
  // A .tflite file with its side-car file.
  static Result<MatMulEngine> load(const std::filesystem::path& model,
                                   const std::filesystem::path& sidecar = {},
                                   const TwinOptions& options = {});

  Status open();  // weights must be set again

  size_t rows() const { return rows_; }
  size_t columns() const { return columns_; }
  bool is_square() const { return rows_ == columns_; }
  // Rows of a square matrix.
  size_t matrix_size() const { return rows_; }
  // Of the side-car file.
  std::optional<double> weight_scale() const { return sidecar_.number("weight_scale"); }
  int weight_zero_point() const { return sidecar_.integer("weight_zero_point").value_or(0); }
  // Least and largest weight; nothing where the side-car file has no scale.
  std::optional<std::pair<double, double>> weight_range() const;
  // Real value of one step of each row's weights, as set now in the model.
  std::span<const float> weight_scales() const { return engine_->weights()->scales(); }
  // What weights of a row can be without being limited, by these.
  std::pair<float, float> weight_range_of(size_t row) const;

  const BytePort& input() const { return engine_->input(); }
  const BytePort& output() const { return engine_->outputs().front(); }
  // Bytes of the parameter blob.
  size_t param_size() const;
  bool weights_loaded() const { return loaded_; }

  // Rounded half to even. Errors: module_weights for another shape or numbers that are not finite,
  // module_model without a scale.
  Result<std::vector<int8_t>> quantize_weights(const Matrix& w) const;
  // Errors: module_closed, module_weights; of Scales::own also where the chip has no scale per row.
  Status set_weights(const Matrix& w, Scales scales = Scales::kept);
  Status set_weights_int8(std::span<const int8_t> weights);
  // A blob as the compiler makes it: on a device with its scales, on the twin its weights. Errors:
  // module_closed, module_weights.
  Status set_weights_raw(ByteSpan blob);
  // The model's own. Error: module_closed.
  Status reset_weights();
  // Sends the weights that are set now instead of before the next product. Errors: module_closed.
  Status upload();
  // Of quantized weights of a square matrix, with the overhead of the side-car file or of the
  // template. Error: module_model where neither has it.
  Result<Bytes> blob_of(std::span<const int8_t> weights) const;
  void set_overhead(Bytes overhead) { overhead_ = std::move(overhead); }

  // Errors: module_closed, module_state before weights were set, module_input.
  Result<Bytes> matmul_raw(ByteSpan x);
  Result<std::vector<float>> matmul(std::span<const float> x);
  // Several vectors; on a device the next is on its way while one is computed.
  Result<std::vector<std::vector<float>>> matmul_batch(std::span<const std::vector<float>> vectors);

 private:
  MatMulEngine(std::shared_ptr<Engine> engine, std::optional<Sidecar> sidecar);
  Status check_loaded() const;
  Result<std::vector<float>> kept_scales() const;
  Result<std::vector<int8_t>> quantize_rows(const Matrix& w, std::span<const float> scales) const;
  Result<Bytes> quantize_input(std::span<const float> x) const;
  std::vector<float> real(ByteSpan y) const;

  bool has_sidecar_ = false;
  size_t rows_ = 0, columns_ = 0;
  bool loaded_ = false;
  Bytes overhead_;
};

}  // namespace edgetwin::robotics
