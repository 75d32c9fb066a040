// y = W x with a square matrix whose weights are exchanged while the model runs.
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

class MatMulEngine final : public Module {
 public:
  // Errors: module_model without exchangeable weights, or where the model is no square matrix.
  static Result<MatMulEngine> create(std::shared_ptr<Engine> engine, Sidecar sidecar);
  static Result<MatMulEngine> from_template(int n, const TwinOptions& options = {});
  // A .tflite file with its side-car file.
  static Result<MatMulEngine> load(const std::filesystem::path& model,
                                   const std::filesystem::path& sidecar = {},
                                   const TwinOptions& options = {});

  Status open();  // weights must be set again

  size_t matrix_size() const { return n_; }
  std::optional<double> weight_scale() const { return sidecar_.number("weight_scale"); }
  int weight_zero_point() const { return sidecar_.integer("weight_zero_point").value_or(0); }
  // Least and largest weight; nothing where the side-car file has no scale.
  std::optional<std::pair<double, double>> weight_range() const;
  const Port& input() const { return engine_->input(); }
  const Port& output() const { return engine_->outputs().front(); }
  size_t param_size() const;
  bool weights_loaded() const { return loaded_; }

  // Errors: module_weights for another shape or numbers that are not finite, module_model without
  // a scale.
  Result<std::vector<int8_t>> quantize_weights(const Matrix& w) const;
  Status set_weights(const Matrix& w);
  // A blob as the compiler makes it. Errors: module_closed, module_weights.
  Status set_weights_raw(ByteSpan blob);
  // The model's own. Error: module_closed.
  Status reset_weights();
  // Of quantized weights, with the overhead of the side-car file or of the template. Error:
  // module_model where neither has it.
  Result<Bytes> blob_of(std::span<const int8_t> weights) const;
  void set_overhead(Bytes overhead) { overhead_ = std::move(overhead); }

  // Errors: module_closed, module_state before weights were set, module_input.
  Result<Bytes> matmul_raw(ByteSpan x);
  Result<std::vector<float>> matmul(std::span<const float> x);

 private:
  using Module::Module;
  Status upload(std::span<const int8_t> weights);

  size_t n_ = 0;
  bool loaded_ = false;
  Bytes overhead_;
};

}  // namespace edgetwin::robotics
