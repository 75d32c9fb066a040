// Products of pictures, and pictures with a number.
#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

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
  // The result is written row by row after both factors were read.
  if (!place_over(*a, op.inputs[0], to, 0)) place_result(to);
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

// A product by the matrix that has the number instead of 1; a sum by the constant of every result.
bool Lowering::with_number(size_t index) {
  using numerics::edgetpu::Binary;
  const Op& op = graph().ops[index];
  const bool first = value(op.inputs[0]).is_constant();
  const Value& in = value(op.inputs[first ? 1 : 0]);
  const Value& number = value(op.inputs[first ? 0 : 1]);
  const Value& out = value(op.outputs[0]);
  Store& from = store(op.inputs[first ? 1 : 0]);
  Store& to = store(op.outputs[0]);
  RescaleSpec spec;
  Numbers& n = spec.numbers;
  n.input_zero = from.zero;
  if (op.kind == OpKind::mul) {
    n.multiplier =
        (in.quant.scale_of(0) * number.quant.scale_of(0)) * (1.0F / out.quant.scale_of(0));
    n.weight_zero = unsigned_zero(number);
    spec.factor = unsigned_number(number);
  } else {
    Binary<uint8_t> rule;
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
  use_elements(from);
  const bool own = source_.style == Style::own;
  if (own || !place_over(from, op.inputs[first ? 1 : 0], to, 0)) place_result(to);
  const bool unit = spec.factor == 1 && spec.numbers.weight_zero == 0;
  const size_t line = own || unit ? 0 : wide(1);
  planned_.push_back({index, "with a number", to.map.bytes(), 0});
  emit(
      [this, spec, &from, &to, constants = scratch(), unit, line](Program& p) {
        RescaleSpec s = spec;
        if (p.vendor() && !unit) s.line = wide_.line(line);
        s.in = &from.map, s.out = &to.map, s.scratch = at(constants);
        rescale(p, s);
      },
      own || unit ? kConstantLine : kWideTop, Follows::tile);
  steps_.back().anew = true;
  border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
