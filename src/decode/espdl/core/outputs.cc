#include "decode/espdl/core/outputs.h"

#include <algorithm>
#include <cmath>

namespace edgetwin::espdl_decode {

float sigmoid(float x) {
  return static_cast<float>(1.0 / (1.0 + static_cast<double>(std::exp(-x))));
}

float inverse_sigmoid(float t) {
  return -std::log(static_cast<float>(1.0 / static_cast<double>(t) - 1.0));
}

int trunc_to_int(double v) {
  constexpr double kMost = 1 << 30;
  if (std::isnan(v)) return 0;
  return static_cast<int>(std::clamp(v, -kMost, kMost));
}

Result<Map> Map::of(const Tensor& tensor) {
  const Shape& s = tensor.shape;
  const bool integers = tensor.dtype == DType::int8 || tensor.dtype == DType::uint8 ||
                        tensor.dtype == DType::int16 || tensor.dtype == DType::int32;
  const bool real = tensor.dtype == DType::float32;
  const int first = s.rank() > 1 && s[0] == 1 ? 1 : 0;
  const int rank = static_cast<int>(s.rank()) - first;
  const bool scaled = real || (tensor.quant.present() && !tensor.quant.per_channel());
  if (!(integers || real) || !scaled || rank < 1 || rank > 3 || s.elements() == 0) {
    return Error(ErrorCode::decode_maps, "output '" + tensor.name + "' is " + to_string(s) + " " +
                                             std::string(edgetwin::name(tensor.dtype)) +
                                             ", not a map with one scale");
  }
  Map m;
  m.tensor_ = &tensor;
  m.channels_ = s[first + rank - 1];
  m.columns_ = rank > 1 ? s[first + rank - 2] : 1;
  m.rows_ = rank > 2 ? s[first] : 1;
  if (!real) {
    m.scale_ = tensor.quant.scale_of(0);
    m.zero_point_ = tensor.quant.zero_point_of(0);
  }
  return m;
}

int64_t Map::integer(int64_t cell, int64_t channel) const {
  const auto at = static_cast<size_t>(cell * channels_ + channel);
  switch (tensor_->dtype) {
    case DType::int8:
      return tensor_->as<int8_t>()[at] - zero_point_;
    case DType::uint8:
      return tensor_->as<uint8_t>()[at] - zero_point_;
    case DType::int16:
      return tensor_->as<int16_t>()[at] - zero_point_;
    default:
      return tensor_->as<int32_t>()[at] - zero_point_;
  }
}

float Map::real(int64_t cell, int64_t channel) const {
  if (is_real()) return tensor_->as<float>()[static_cast<size_t>(cell * channels_ + channel)];
  return static_cast<float>(integer(cell, channel)) * scale_;
}

IntegerRange Map::range() const {
  IntegerRange r = integer_range(tensor_->dtype).value_or(IntegerRange{0, 0});
  r.low -= zero_point_;
  r.high -= zero_point_;
  return r;
}

Threshold::Threshold(const Map& map, float real, numerics::Rounding rounding) : real_(real) {
  if (map.is_real()) return;
  const float steps = numerics::round_float(real * (1.0F / map.scale()), rounding);
  const IntegerRange range = map.range();
  // A threshold of 0 or 1 has an infinite logit.
  integer_ = std::isnan(steps)                         ? range.high
             : steps <= static_cast<float>(range.low)  ? range.low
             : steps >= static_cast<float>(range.high) ? range.high
                                                       : static_cast<int64_t>(steps);
}

bool Threshold::exceeds(const Map& map, int64_t cell, int64_t channel) const {
  return map.is_real() ? map.real(cell, channel) > real_ : map.integer(cell, channel) > integer_;
}

bool Threshold::reaches(const Map& map, int64_t cell, int64_t channel) const {
  return map.is_real() ? map.real(cell, channel) >= real_ : map.integer(cell, channel) >= integer_;
}

Result<Map> output_named(std::span<const Tensor> outputs, const std::string& name) {
  std::string known;
  for (const Tensor& t : outputs) {
    if (t.name == name) return Map::of(t);
    known += (known.empty() ? "'" : ", '") + t.name + "'";
  }
  return Error(ErrorCode::decode_maps, "there is no output '" + name + "'")
      .detail("outputs: " + (known.empty() ? "none" : known))
      .with_hint("Choose the decoder that belongs to this model; docs/espdl-decode.md lists them.");
}

Status check_map(const Map& map, int64_t channels, int64_t rows, int64_t columns) {
  const bool size = rows == 0 || (map.rows() == rows && map.columns() == columns);
  if (map.channels() == channels && size) return Ok{};
  std::string wanted = std::to_string(channels) + " channels";
  if (rows > 0) wanted = std::to_string(rows) + " x " + std::to_string(columns) + " x " + wanted;
  return Error(ErrorCode::decode_maps,
               "output '" + map.name() + "' is " + std::to_string(map.rows()) + " x " +
                   std::to_string(map.columns()) + " x " + std::to_string(map.channels()) +
                   ", the decoder needs " + wanted);
}

}  // namespace edgetwin::espdl_decode
