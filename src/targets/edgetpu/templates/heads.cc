#include <algorithm>
#include <cmath>

#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {
namespace {

constexpr int64_t kMaxPositions = int64_t{1} << 24;

ValueId weighted_mean(Maker& m, const std::string& name, ValueId weights, ValueId coordinates,
                      const Quant& quant) {
  const ValueId out = m.tensor(name, DType::int8, {1, 1}, quant);
  m.op(OpKind::fully_connected, 4, FullyConnectedAttrs{}, {weights, coordinates, kAbsent}, out);
  return out;
}

}  // namespace

std::vector<float> coordinates(int count, double temperature) {
  const double half = (count - 1) / 2.0;
  std::vector<float> at(static_cast<size_t>(count));
  for (size_t i = 0; i < at.size(); ++i) {
    at[i] = static_cast<float>((static_cast<double>(i) - half) / std::max(half, 1.0) / temperature);
  }
  return at;
}

Status Heads::check(int height, int width, double temperature) {
  if (!(temperature > 0.0) || !std::isfinite(temperature)) {
    return refused("the temperature must be above 0", "temperature");
  }
  if (int64_t{height} * width > kMaxPositions) {
    return refused("a map of " + std::to_string(height) + " x " + std::to_string(width) +
                       " positions; 2^24 are possible",
                   "height");
  }
  return Ok{};
}

Heads::Heads(Maker& maker, int height, int width, double temperature)
    : maker_(maker), height_(height), width_(width), temperature_(temperature) {
  scale_ = 3.0 / temperature / 255.0;
  // The output covers [-1/T, 2/T].
  zero_point_ = static_cast<int64_t>(
      std::clamp(std::nearbyint(-128.0 + 1.0 / temperature / scale_), -128.0, 127.0));
  const std::vector<float> xs = coordinates(width, temperature);
  const std::vector<float> ys = coordinates(height, temperature);
  // Shifted, as otherwise the two heads of a square picture could be taken for one.
  const auto offset = static_cast<float>(1.0 / temperature);
  std::vector<float> x, y;
  for (const float row : ys) {
    x.insert(x.end(), xs.begin(), xs.end());
    y.insert(y.end(), xs.size(), row + offset);
  }
  const Shape shape{1, int64_t{height} * width};
  const QuantizedWeights qx = quantize_weights(x, 1e-6);
  const QuantizedWeights qy = quantize_weights(y, 1e-6);
  x_ = maker.weights("x_coordinates", shape, affine(qx.scale, 0), qx.data);
  y_ = maker.weights("y_coordinates", shape, affine(qy.scale, 0), qy.data);
}

ValueId Heads::finish(ValueId map) {
  const int count = height_ * width_;
  const Quant map_quant = maker_.value(map).quant;
  const ValueId shape = maker_.numbers("flat_shape", {1, count});
  const ValueId flat = maker_.tensor("flat", DType::int8, {1, count}, map_quant);
  maker_.op(OpKind::reshape, 1, ReshapeAttrs{{1, count}}, {map, shape}, flat);
  const ValueId soft = maker_.tensor("softmax", DType::int8, {1, count}, affine(1.0 / 256, -128));
  maker_.op(OpKind::softmax, 2, SoftmaxAttrs{1.0F}, {flat}, soft);
  const Quant quant = affine(scale_, zero_point_);
  const ValueId x = weighted_mean(maker_, "x", soft, x_, quant);
  const ValueId y = weighted_mean(maker_, "y", soft, y_, quant);
  const ValueId out = maker_.tensor("position", DType::int8, {1, 2}, quant);
  maker_.op(OpKind::concatenation, 2, ConcatAttrs{1}, {x, y}, out);
  return out;
}

void Heads::describe_output(Metadata& metadata) const {
  metadata.emplace_back("input_scale", 1.0);
  metadata.emplace_back("input_zero_point", int64_t{0});
  metadata.emplace_back("output_scale", scale_);
  metadata.emplace_back("output_zero_point", zero_point_);
  metadata.emplace_back("output_count", int64_t{2});
}

void Heads::describe_softmax(Metadata& metadata) const {
  metadata.emplace_back("temperature", temperature_);
  metadata.emplace_back("y_offset", 1.0 / temperature_);
}

}  // namespace edgetwin::edgetpu::templates
