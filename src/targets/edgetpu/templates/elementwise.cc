// Networks of one operator, number by number: what one compiles to see what becomes of it.
#include "base/rng.h"
#include "targets/edgetpu/templates/parts.h"

namespace edgetwin::edgetpu::templates {
namespace {

constexpr double kElementScale = 1.0 / 16.0;  // inputs from -8 to 7.9375

// An operator between a picture of uint8 numbers and another one.
struct OneOperator {
  std::string name;
  OpKind kind = OpKind::relu;
  int version = 2;
  int n = 0;
  double constant = 0.0;  // second operand; 0: the operator has one
  double output_scale = 1.0;
  int64_t output_zero_point = 0;  // of int8
};

Template one_operator(const OneOperator& o) {
  Maker m(o.name + " of " + std::to_string(o.n));
  const Shape row{1, o.n};
  const ValueId input = m.tensor("input", DType::uint8, row, affine(kElementScale, 128));
  std::vector<ValueId> operands = {
      m.quantized_copy("input_int8", input, DType::int8, affine(kElementScale, 0))};
  if (o.constant != 0.0) {
    const double scale = std::fabs(o.constant) / 127.0;
    operands.push_back(m.weights("constant", {1}, affine(scale, 0), {127}));
  }
  const Quant after = affine(o.output_scale, o.output_zero_point);
  const ValueId y = m.tensor("result", DType::int8, row, after);
  const bool binary = o.constant != 0.0;
  m.op(o.kind, o.version, binary ? Attrs(BinaryAttrs{}) : Attrs(NoAttrs{}), operands, y);
  const ValueId output = m.quantized_copy("output", y, DType::uint8,
                                          affine(o.output_scale, o.output_zero_point + 128));
  return std::move(m).finish(input, output,
                             {{"count", int64_t{o.n}},
                              {"input_scale", kElementScale},
                              {"input_zero_point", int64_t{128}},
                              {"output_scale", o.output_scale},
                              {"output_zero_point", o.output_zero_point + 128}});
}

// x times a constant: the output reaches as far as the product.
Template product_with(const char* name, int n, double factor) {
  return one_operator({name, OpKind::mul, 2, n, factor, kElementScale * factor, 0});
}

}  // namespace

Result<Template> build(const AddOne& a) {
  EDGETWIN_TRY(check_ranges(a));
  return one_operator({"add1", OpKind::add, 2, a.n, 1.0, kElementScale, -16});
}

Result<Template> build(const SubOne& a) {
  EDGETWIN_TRY(check_ranges(a));
  return one_operator({"sub1", OpKind::sub, 2, a.n, 1.0, kElementScale, 16});
}

Result<Template> build(const MulTwo& a) {
  EDGETWIN_TRY(check_ranges(a));
  return product_with("mul2", a.n, 2.0);
}

Result<Template> build(const DivTwo& a) {
  EDGETWIN_TRY(check_ranges(a));
  return product_with("div2", a.n, 0.5);
}

Result<Template> build(const DivFour& a) {
  EDGETWIN_TRY(check_ranges(a));
  return product_with("div4", a.n, 0.25);
}

Result<Template> build(const Relu& a) {
  EDGETWIN_TRY(check_ranges(a));
  return one_operator({"relu", OpKind::relu, 2, a.n, 0.0, kElementScale / 2.0, -128});
}

Result<Template> build(const Sigmoid& a) {
  EDGETWIN_TRY(check_ranges(a));
  return one_operator({"sigmoid", OpKind::logistic, 2, a.n, 0.0, 1.0 / 256.0, -128});
}

Result<Template> build(const MatMul& a) {
  EDGETWIN_TRY(check_ranges(a));
  Dense dense;
  dense.n = a.n;
  XorShift32 random(static_cast<uint32_t>(a.seed));
  dense.weights_int8.resize(static_cast<size_t>(a.n) * static_cast<size_t>(a.n));
  for (int8_t& w : dense.weights_int8) {
    w = static_cast<int8_t>(static_cast<int>(random.next() % 255) - 127);
  }
  return build(dense);
}

Result<Template> build(const DenseOneToEight& a) {
  constexpr int64_t kOutputs = 8;
  std::vector<int8_t> weights = a.weights_int8;
  if (weights.empty()) weights = {1, 2, 3, 4, 5, 6, 7, 8};
  if (weights.size() != kOutputs) {
    return refused(std::to_string(weights.size()) + " weights, the layer has 8", "weights_int8");
  }
  const double scale = scale_of_integers(weights);
  Maker m("dense_1_8");
  const ValueId input = m.tensor("input", DType::uint8, {1, 1}, affine(kElementScale, 128));
  const ValueId w = m.weights("weights", {kOutputs, 1}, affine(scale, 0), weights);
  const ValueId x = m.quantized_copy("input_int8", input, DType::int8, affine(kElementScale, 0));
  const Shape outputs{1, kOutputs};
  // A weight is 1 at most.
  const ValueId y = m.tensor("product", DType::int8, outputs, affine(kElementScale, 0));
  m.op(OpKind::fully_connected, 4, FullyConnectedAttrs{}, {x, w, kAbsent}, y);
  const ValueId output = m.quantized_copy("output", y, DType::uint8, affine(kElementScale, 128));
  return std::move(m).finish(input, output,
                             {{"weight_scale", scale},
                              {"input_scale", kElementScale},
                              {"input_zero_point", int64_t{128}},
                              {"output_scale", kElementScale},
                              {"output_zero_point", int64_t{128}}});
}

}  // namespace edgetwin::edgetpu::templates
