#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {
namespace {

Quant per_filter(const std::vector<double>& scales, double factor, int axis) {
  Quant q;
  q.scheme = Quant::Scheme::affine;
  for (const double s : scales) q.scale.push_back(static_cast<float>(s * factor));
  q.zero_point.assign(scales.size(), 0);
  q.axis = scales.size() > 1 ? axis : 0;
  return q;
}

ValueId average(Maker& m, ValueId from, const Bank& b) {
  PoolAttrs pool;
  pool.padding.kind = Padding::Kind::valid;
  pool.filter_h = pool.stride_h = pool.filter_w = pool.stride_w = b.pool;
  const ValueId out =
      m.tensor("averages", DType::int8, {1, b.height / b.pool, b.width / b.pool, b.filters},
               affine(b.output_scale, -128));
  m.op(OpKind::average_pool_2d, 2, pool, {from}, out);
  return out;
}

}  // namespace

Template bank_template(const Bank& b, Metadata metadata, const std::string& description) {
  Maker m(description);
  const ValueId input =
      m.tensor("input", DType::uint8, {1, b.height, b.width, 1}, affine(b.input_scale, 0));
  const ValueId x = m.quantized_copy("input_int8", input, DType::int8, affine(b.input_scale, -128));
  const ValueId filters = m.weights("filters", {1, b.ksize, b.ksize, b.filters},
                                    per_filter(b.scales, 1.0, 3), b.weights);
  const ValueId bias = m.zero_bias("bias", per_filter(b.scales, b.input_scale, 0));
  ValueId map =
      m.tensor("map", DType::int8, {1, b.height, b.width, b.filters}, affine(b.output_scale, -128));
  Conv2DAttrs attrs;
  attrs.stride_h = attrs.stride_w = 1;
  attrs.depth_multiplier = b.filters;
  attrs.activation = Activation::relu;
  m.op(OpKind::depthwise_conv_2d, 3, attrs, {x, filters, bias}, map);
  if (b.pool > 0) map = average(m, map, b);
  const ValueId output = m.quantized_copy("features", map, DType::uint8, affine(b.output_scale, 0));
  return std::move(m).finish(input, output, std::move(metadata));
}

}  // namespace edgetwin::edgetpu::templates
