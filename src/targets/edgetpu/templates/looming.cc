#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {
namespace {

constexpr double kEdgeScale = 0.5;
constexpr double kWeightScale = 0.25 / 127.0;  // of the filters' largest weight, 2/8

std::vector<int8_t> sobel(bool along_y) {
  std::vector<float> real;
  for (int y = -1; y <= 1; ++y) {
    for (int x = -1; x <= 1; ++x) {
      const int along = along_y ? y : x, across = along_y ? x : y;
      real.push_back(static_cast<float>(along * (2 - std::abs(across))) / 8.0F);
    }
  }
  return quantize_by(real, kWeightScale);
}

struct Edges {
  ValueId bias = kAbsent, map = kAbsent;
};
Edges edges(Maker& m, ValueId from, const std::string& name, bool along_y, ValueId bias) {
  const Quant quant = affine(kWeightScale, 0);
  const ValueId filter = m.weights(name + "_filter", {1, 3, 3, 1}, quant, sobel(along_y));
  const ValueId own = bias == kAbsent ? m.zero_bias(name + "_bias", quant)
                                      : m.same_bytes(name + "_bias", bias, quant);
  const ValueId map =
      m.tensor(name, DType::int8, Shape(m.value(from).shape), affine(kEdgeScale, 0));
  Conv2DAttrs attrs;
  attrs.stride_h = attrs.stride_w = 1;
  m.op(OpKind::conv_2d, 3, attrs, {from, filter, own}, map);
  return {own, map};
}

ValueId binary(Maker& m, const std::string& name, OpKind kind, ValueId a, ValueId b,
               const Quant& quant) {
  const ValueId out = m.tensor(name, DType::int8, Shape(m.value(a).shape), quant);
  m.op(kind, 2, BinaryAttrs{}, {a, b}, out);
  return out;
}

}  // namespace

Result<Template> build(const Looming& a) {
  EDGETWIN_TRY(check_ranges(a));
  // The largest square of an edge: (127 * 0.5)^2.
  constexpr double kMost = 127.0 * kEdgeScale * 127.0 * kEdgeScale;
  const Quant square = affine(kMost / 255.0, -128), sum = affine(2.0 * kMost / 255.0, -128);
  Maker m("looming detector");
  const ValueId input = m.tensor("input", DType::uint8, {1, a.height, a.width, 1}, affine(1.0, 0));
  const ValueId x = m.quantized_copy("input_int8", input, DType::int8, affine(1.0, -128));
  const Edges gy = edges(m, x, "edges_y", true, kAbsent);
  const Edges gx = edges(m, x, "edges_x", false, gy.bias);
  const ValueId xx = binary(m, "edges_x_squared", OpKind::mul, gx.map, gx.map, square);
  const ValueId yy = binary(m, "edges_y_squared", OpKind::mul, gy.map, gy.map, square);
  const ValueId both = binary(m, "magnitude", OpKind::add, xx, yy, sum);
  PoolAttrs pool;
  pool.padding.kind = Padding::Kind::valid;
  pool.filter_h = pool.stride_h = a.height / a.zones;
  pool.filter_w = pool.stride_w = a.width / a.zones;
  // Of sizes that are no multiples of three the last rows and columns are in no zone.
  const ValueId pooled = m.tensor("zones", DType::int8,
                                  {1, (a.height - pool.filter_h) / pool.stride_h + 1,
                                   (a.width - pool.filter_w) / pool.stride_w + 1, 1},
                                  sum);
  if (m.value(pooled).shape.elements() != 9) {
    return refused("a picture of " + std::to_string(a.height) + " x " + std::to_string(a.width) +
                       " gives " + std::to_string(m.value(pooled).shape.elements()) + " zones of " +
                       std::to_string(pool.filter_h) + " x " + std::to_string(pool.filter_w) +
                       " instead of 9",
                   "height");
  }
  m.op(OpKind::average_pool_2d, 2, pool, {both}, pooled);
  const ValueId shape = m.numbers("flat_shape", {1, 9});
  const ValueId flat = m.tensor("flat", DType::int8, {1, 9}, sum);
  m.op(OpKind::reshape, 1, ReshapeAttrs{{1, 9}}, {pooled, shape}, flat);
  const ValueId output =
      m.quantized_copy("densities", flat, DType::uint8, affine(2.0 * kMost / 255.0, 0));
  return std::move(m).finish(input, output,
                             {{"height", int64_t{a.height}},
                              {"width", int64_t{a.width}},
                              {"zones", int64_t{a.zones}},
                              {"input_scale", 1.0},
                              {"input_zero_point", int64_t{0}},
                              {"output_scale", 2.0 * kMost / 255.0},
                              {"output_zero_point", int64_t{0}},
                              {"output_count", int64_t{9}}});
}

}  // namespace edgetwin::edgetpu::templates
