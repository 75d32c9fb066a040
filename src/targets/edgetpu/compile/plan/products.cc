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
  if (is_number(value(op.inputs[0])) || is_number(value(op.inputs[1]))) return with_number(index);
  const Value& out = value(op.outputs[0]);
  Store& a = store(op.inputs[0]);
  Store& b = store(op.inputs[1]);
  if (a.vector || b.vector) return refuse(Rule::shape, "its operands are no pictures");
  use(a.region), use(b.region);
  Store& to = store(op.outputs[0]);
  to.region = region(to.map.bytes());
  const int products = region(product_bytes(to.map));
  ProductSpec spec;
  spec.numbers.multiplier =
      (value(op.inputs[0]).quant.scale_of(0) * value(op.inputs[1]).quant.scale_of(0)) *
      (1.0F / out.quant.scale_of(0));
  spec.numbers.input_zero = a.zero;
  spec.numbers.weight_zero = b.zero;
  put_limits(spec.numbers, out, op.as<BinaryAttrs>().activation);
  planned_.push_back({index, "product", to.map.bytes(), 0});
  emit(
      [this, spec, products, &a, &b, &to, constants = scratch()](Program& p) {
        ProductSpec s = spec;
        s.a = &a.map, s.b = &b.map, s.out = &to.map;
        s.products = at(products), s.scratch = at(constants);
        product(p, s);
      },
      kProductLowest);
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
  if (from.vector) return refuse(Rule::shape, "its input is no picture");
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
  use(from.region);
  to.region = region(to.map.bytes());
  planned_.push_back({index, "with a number", to.map.bytes(), 0});
  emit(
      [this, spec, &from, &to, constants = scratch()](Program& p) {
        RescaleSpec s = spec;
        s.in = &from.map, s.out = &to.map, s.scratch = at(constants);
        rescale(p, s);
      },
      kConstantLine);
  border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
