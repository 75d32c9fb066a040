// Products of pictures, and pictures with a number.
#include <cmath>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// The multiplier that the vendor's compiler has for a number above 0, by the unit matrix, if every
// byte comes out as by the matrix that has the number.
std::optional<float> multiplier_for(int number, const Value& in, const Value& factor,
                                    const Value& out) {
  if (number <= 0) return std::nullopt;
  const float s = in.quant.scale_of(0), f = factor.quant.scale_of(0);
  const float inverse = 1.0F / out.quant.scale_of(0);
  const float by_matrix = (s * f) * inverse;
  const float alone = (s * (static_cast<float>(number) * f)) * inverse;
  for (int x = -255; x <= 255; ++x) {
    const auto all = static_cast<float>(x * number) * by_matrix;
    if (std::nearbyint(all) != std::nearbyint(static_cast<float>(x) * alone)) return std::nullopt;
  }
  return alone;
}

// The same number for each channel, as parameters have it.
Bytes number_bytes(int32_t number, int64_t channels) {
  const std::vector<int32_t> all(static_cast<size_t>(channels), number);
  const ByteSpan bytes = std::as_bytes(std::span(all));
  return {bytes.begin(), bytes.end()};
}

// As the chip counts.
int unsigned_number(const Value& v) {
  const auto byte = std::to_integer<int>((*v.constant)[0]);
  return v.dtype == DType::int8 ? byte ^ 0x80 : byte;
}

}  // namespace

bool Lowering::multiplied(size_t index) {
  const Op& op = graph().ops[index];
  const bool constant = value(op.inputs[0]).is_constant();
  if (!takes_constant(graph(), op, constant ? 0 : 1) &&
      (constant || value(op.inputs[1]).is_constant())) {
    const Value& factors = value(op.inputs[constant ? 0 : 1]);
    const ValueId in = op.inputs[constant ? 1 : 0];
    if (is_number(factors)) return with_number(index);
    return multiplied_channels(index, in, factors);
  }
  const Value& out = value(op.outputs[0]);
  const Store& like = store(op.inputs[store(op.inputs[0]).vector ? 1 : 0]);
  Store* a = at_positions(op.inputs[0], like);
  Store* b = a == nullptr ? nullptr : at_positions(op.inputs[1], like);
  if (b == nullptr) return false;
  use_elements(*a), use_elements(*b);
  Store& to = store(op.outputs[0]);
  // The result is written row by row after both factors were read: in the vendor's style over that
  // which was made last.
  const auto made = [&](const Store& s) { return regions_[static_cast<size_t>(s.region)].first; };
  const bool second =
      source_.style == Style::vendor && a->region >= 0 && b->region >= 0 && made(*b) > made(*a);
  if (!place_over(second ? *b : *a, op.inputs[second ? 1 : 0], to, 0)) place_result(to);
  const int products = region(product_bytes(to.map));
  ProductSpec spec;
  spec.numbers.multiplier =
      (value(op.inputs[0]).quant.scale_of(0) * value(op.inputs[1]).quant.scale_of(0)) *
      (1.0F / out.quant.scale_of(0));
  spec.numbers.input_zero = a->zero;
  spec.numbers.weight_zero = b->zero;
  put_limits(spec.numbers, out, op.as<BinaryAttrs>().activation);
  planned_.push_back({index, "product", to.map.bytes(), 0});
  keep_matrix();
  if (!constants_.empty()) wide_.keep_bytes(step());
  Emit e = [this, spec, products, a, b, &to, constants = scratch(kMatrixWords)](Program& p) {
    ProductSpec s = spec;
    s.a = &a->map, s.b = &b->map, s.out = &to.map;
    s.products = at(products), s.scratch = at(constants);
    product(p, s);
  };
  if (source_.style == Style::vendor) {
    emit_at(wide(kProductLines), std::move(e));
  } else {
    emit(std::move(e), kProductLowest);
  }
  steps_.back().anew = true;
  border(to);
  return true;
}

bool Lowering::multiplied_channels(size_t index, ValueId in, const Value& factors) {
  Store& from = store(in);
  Store& to = store(graph().ops[index].outputs[0]);
  if (from.vector || to.vector || factors.shape.elements() != from.map.channels) {
    return refuse(Rule::shape, "its input is not a picture of as many channels as it has factors");
  }
  to.region = region(to.map.bytes());
  planned_.push_back({index, "channels times a number each", to.map.bytes(), 0});
  if (!times_channels(index, from, to, value(in), factors)) return false;
  border(to);
  return true;
}

namespace {

// A product by the matrix that has the number instead of 1; a sum by the constant of every result.
// `own`: not as the vendor's compiler has it.
RescaleSpec with_number_of(const Op& op, const Value& in, const Value& number, const Value& out,
                           bool own) {
  RescaleSpec spec;
  Numbers& n = spec.numbers;
  n.input_zero = unsigned_zero(in);
  if (op.kind == OpKind::mul) {
    n.multiplier =
        (in.quant.scale_of(0) * number.quant.scale_of(0)) * (1.0F / out.quant.scale_of(0));
    n.weight_zero = unsigned_zero(number);
    spec.factor = unsigned_number(number);
    const auto alone =
        own ? std::nullopt : multiplier_for(spec.factor - n.weight_zero, in, number, out);
    if (alone) n.multiplier = *alone, n.weight_zero = 0, spec.factor = 1;
  } else {
    numerics::edgetpu::Binary<uint8_t> rule;
    numerics::BinarySpec binary;
    binary.kind = op.kind == OpKind::sub ? numerics::BinaryKind::sub : numerics::BinaryKind::add;
    binary.a = in.quant, binary.b = number.quant, binary.out = out.quant;
    binary.b_number = unsigned_number(number);
    rule.zero_b = unsigned_zero(number);
    rule.add_number(binary, 1.0F / out.quant.scale_of(0));
    n.multiplier = rule.m;
    n.constant = rule.number;
  }
  put_limits(n, out, op.as<BinaryAttrs>().activation);
  return spec;
}

}  // namespace

bool Lowering::with_number(size_t index) {
  const Op& op = graph().ops[index];
  const bool first = value(op.inputs[0]).is_constant();
  const ValueId in = op.inputs[first ? 1 : 0];
  Store &from = store(in), &to = store(op.outputs[0]);
  const bool own = source_.style == Style::own;
  RescaleSpec spec =
      with_number_of(op, value(in), value(op.inputs[first ? 0 : 1]), value(op.outputs[0]), own);
  Numbers& n = spec.numbers;
  use_elements(from);
  // What is added to the channels of a word comes from the host there.
  const bool by_host = !own && n.constant != 0 && !from.vector && from.map.words() == 1;
  const size_t block =
      by_host ? streamed_block(number_bytes(n.constant, from.map.channels), kBiasSlots) : 0;
  if (by_host) n.constant = 0, n.has_bias = true;
  if (own || !place_over(from, in, to, 0)) place_result(to);
  const bool unit = spec.factor == 1 && spec.numbers.weight_zero == 0;
  const size_t line = by_host ? wide(kBiasLines) : own || unit ? 0 : wide(1);
  planned_.push_back({index, "with a number", to.map.bytes(), 0});
  emit(
      [this, spec, &from, &to, constants = scratch(), unit, line, by_host, block](Program& p) {
        RescaleSpec s = spec;
        if (p.vendor() && !unit) s.line = wide_.line(line);
        if (by_host) {
          s.biases = {wide_.line(line), {blocks_[block].offset, blocks_[block].size}};
        }
        s.in = &from.map, s.out = &to.map, s.scratch = at(constants);
        rescale(p, s);
      },
      own || unit ? kConstantLine : kWideTop, Follows::tile);
  steps_.back().anew = true;
  border(to, by_host ? Behind::words : Behind::barrier);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
