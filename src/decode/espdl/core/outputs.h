// Outputs of a network by name, and the arithmetic on them that ESP-DL's post-processors share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "numerics/rounding.h"
#include "tensor/tensor.h"

namespace edgetwin::espdl_decode {

// 1.0 / (1.0 + expf(-x)), the division in double precision.
float sigmoid(float x);
// -logf(float(1.0 / t - 1)), the inner part in double precision.
float inverse_sigmoid(float t);
// Towards zero; absurd values become large ones, NaN becomes 0.
int trunc_to_int(double v);

// An output as rows x columns x channels; maps of the chip have one exponent.
class Map {
 public:
  Map() = default;
  // Of a tensor (1,) rows, columns, channels or (1,) channels: int8, int16 or int32 with one scale,
  // or float32. `tensor` must outlive the map. Error: decode_maps.
  static Result<Map> of(const Tensor& tensor);

  const std::string& name() const { return tensor_->name; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t channels() const { return channels_; }
  int64_t cells() const { return rows_ * columns_; }

  // Element `channel` of cell `cell` (row * columns + column).
  int64_t integer(int64_t cell, int64_t channel) const;
  float real(int64_t cell, int64_t channel) const;
  bool is_real() const { return tensor_->dtype == DType::float32; }
  float scale() const { return scale_; }
  // The range of its integers.
  IntegerRange range() const;

 private:
  const Tensor* tensor_ = nullptr;
  int64_t rows_ = 0, columns_ = 0, channels_ = 0;
  float scale_ = 1.0F;
  int64_t zero_point_ = 0;
};

// A threshold as the runtime compares it: the real value in steps of the map, rounded as the chip
// rounds and limited to the type; maps of float32 are compared as they are.
class Threshold {
 public:
  Threshold(const Map& map, float real, numerics::Rounding rounding);
  bool exceeds(const Map& map, int64_t cell, int64_t channel) const;  // value > threshold
  bool reaches(const Map& map, int64_t cell, int64_t channel) const;  // value >= threshold

 private:
  float real_;
  int64_t integer_ = 0;
};

// The outputs with channels last: maps of four axes with params.channels_first, and those of five
// axes (1, anchors, rows, columns, numbers) as maps of anchors. Empty where nothing changes.
struct Params;
Result<std::vector<Tensor>> channels_last(std::span<const Tensor> outputs, const Params& params);

// The output of this name. Error: decode_maps, which lists the names that there are.
Result<Map> output_named(std::span<const Tensor> outputs, const std::string& name);

// Error: decode_maps unless the map has this many channels, and, where not 0, rows and columns.
Status check_map(const Map& map, int64_t channels, int64_t rows = 0, int64_t columns = 0);

}  // namespace edgetwin::espdl_decode
