// Element-wise operators, normalizations, reductions.
#include <algorithm>

#include "formats/onnx/import/fold.h"
#include "formats/onnx/import/importer.h"

namespace edgetwin::onnx {
namespace {

struct KindRow {
  std::string_view type;
  OpKind kind;
};

constexpr KindRow kKinds[] = {
    {"Add", OpKind::add},
    {"Sub", OpKind::sub},
    {"Mul", OpKind::mul},
    {"Div", OpKind::div},
    {"Pow", OpKind::pow},
    {"Mod", OpKind::mod},
    {"Equal", OpKind::equal},
    {"Greater", OpKind::greater},
    {"GreaterOrEqual", OpKind::greater_equal},
    {"Less", OpKind::less},
    {"LessOrEqual", OpKind::less_equal},
    {"Relu", OpKind::relu},
    {"LeakyRelu", OpKind::leaky_relu},
    {"Elu", OpKind::elu},
    {"Sigmoid", OpKind::logistic},
    {"Tanh", OpKind::tanh},
    {"Swish", OpKind::swish},
    {"HardSigmoid", OpKind::hard_sigmoid},
    {"HardSwish", OpKind::hard_swish},
    {"Gelu", OpKind::gelu},
    {"Exp", OpKind::exp},
    {"Log", OpKind::log},
    {"Sqrt", OpKind::sqrt},
    {"Neg", OpKind::neg},
    {"Softmax", OpKind::softmax},
    {"LogSoftmax", OpKind::log_softmax},
    {"LayerNormalization", OpKind::layer_norm},
    {"RMSNormalization", OpKind::rms_norm},
    {"LpNormalization", OpKind::lp_norm},
    {"ReduceMax", OpKind::reduce_max},
    {"ReduceMin", OpKind::reduce_min},
    {"ReduceProd", OpKind::reduce_prod},
    {"ReduceL1", OpKind::reduce_l1},
    {"ReduceL2", OpKind::reduce_l2},
    {"ReduceLogSum", OpKind::reduce_log_sum},
    {"ReduceLogSumExp", OpKind::reduce_log_sum_exp},
    {"ReduceSumSquare", OpKind::reduce_sum_square},
    {"ReduceSum", OpKind::reduce_sum},
    {"ReduceMean", OpKind::reduce_mean},
};

OpKind kind_of(std::string_view type) {
  for (const KindRow& row : kKinds) {
    if (row.type == type) return row.kind;
  }
  return OpKind::opaque;
}

Status take_inputs(Importer& m, const Node& n, Op& op, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    EDGETWIN_TRY_ASSIGN(const ValueId id, m.input(n, i));
    op.inputs.push_back(id);
  }
  return Ok{};
}

// An exponent may be an integer where the base is real.
Result<ValueId> real_exponent(Importer& m, const Node& n, ValueId id) {
  const DType type = m.value(id).dtype;
  if (!m.value(id).is_constant() || (type != DType::int64 && type != DType::int32)) return id;
  EDGETWIN_TRY_ASSIGN(const auto numbers, m.integers(n, 1, "the exponent"));
  std::vector<float> reals;
  if (numbers.has_value()) {
    for (const int64_t v : *numbers) reals.push_back(static_cast<float>(v));
  }
  const std::string name = m.value(id).name;
  const Shape shape = m.shape(id);
  return m.add_floats(name, shape, reals);
}

}  // namespace

Result<int> small_integer(Importer& m, const Node& n, const char* attribute, int64_t otherwise) {
  const int64_t v = n.integer(attribute).value_or(otherwise);
  if (v >= -(1 << 24) && v <= (1 << 24)) return static_cast<int>(v);
  return m.bad_attribute(n, attribute, "is " + std::to_string(v));
}

Status lower_alias(Importer& m, const Node& n) {
  const Value* training = n.op_type == "Dropout" ? m.constant(n, 2) : nullptr;
  const bool trains = n.op_type == "Dropout" && n.has_input(2) &&
                      (training == nullptr || training->constant->empty() ||
                       training->constant->front() != std::byte{0});
  if (trains) {
    return m.bad_attribute(n, "training_mode", "is on: export the network for inference");
  }
  EDGETWIN_TRY_ASSIGN(const ValueId id, m.input(n, 0));
  return m.alias(n, 0, id);
}

Status lower_binary(Importer& m, const Node& n) {
  Op op = m.make(n, kind_of(n.op_type));
  if (op.kind == OpKind::mod && n.integer("fmod").value_or(0) != 1) {
    return m.bad_attribute(n, "fmod", "must be 1 for real numbers");
  }
  EDGETWIN_TRY(take_inputs(m, n, op, 2));
  if (op.kind == OpKind::pow) {
    EDGETWIN_TRY_ASSIGN(op.inputs[1], real_exponent(m, n, op.inputs[1]));
  }
  if (op.kind == OpKind::add && m.options().passes.fuse_bias) {
    EDGETWIN_TRY_ASSIGN(const bool folded, fold_bias(m, n));
    if (folded) return Ok{};
  }
  return m.finish(n, std::move(op));
}

Status lower_compare(Importer& m, const Node& n) {
  Op op = m.make(n, kind_of(n.op_type));
  EDGETWIN_TRY(take_inputs(m, n, op, 2));
  return m.finish(n, std::move(op), DType::boolean);
}

Status lower_variadic(Importer& m, const Node& n) {
  const OpKind kind = n.op_type == "Max"   ? OpKind::maximum
                      : n.op_type == "Min" ? OpKind::minimum
                                           : OpKind::add;
  EDGETWIN_TRY_ASSIGN(ValueId sum, m.input(n, 0));
  const bool mean = n.op_type == "Mean" && n.inputs.size() > 1;
  for (size_t i = 1; i < n.inputs.size(); ++i) {
    Op op = m.make(n, kind);
    EDGETWIN_TRY_ASSIGN(const ValueId next, m.input(n, i));
    op.inputs = {sum, next};
    if (i + 1 == n.inputs.size() && !mean) return m.finish(n, std::move(op));
    EDGETWIN_TRY_ASSIGN(sum, m.step(n, std::move(op), n.op_type + std::to_string(i)));
  }
  if (!mean) return m.alias(n, 0, sum);
  Op op = m.make(n, OpKind::div);
  const auto count = static_cast<float>(n.inputs.size());
  op.inputs = {sum, m.add_floats(n.outputs.at(0) + "/count", {}, {count})};
  return m.finish(n, std::move(op));
}

Status lower_unary(Importer& m, const Node& n) {
  const bool by_tanh = n.op_type == "Gelu" && n.text("approximate").value_or("none") == "tanh";
  if (by_tanh && m.passes().write_out_tanh_gelu) return write_out_gelu(m, n);
  Op op = m.make(n, kind_of(n.op_type));
  if (auto* a = std::get_if<AlphaAttrs>(&op.attrs)) {
    const float usual = op.kind == OpKind::leaky_relu ? 0.01F
                        : op.kind == OpKind::elu      ? 1.0F
                                                      : 0.2F;
    a->alpha = n.real("alpha").value_or(usual);
    a->beta = n.real("beta").value_or(op.kind == OpKind::hard_sigmoid ? 0.5F : 0.0F);
  }
  if (by_tanh) {
    m.finding(n, Severity::note,
              "this Gelu approximates by tanh; it is computed with the error function, from which "
              "it differs by less than 0.0005");
  }
  if (op.kind == OpKind::swish && n.real("alpha").value_or(1.0F) != 1.0F) {
    return m.bad_attribute(n, "alpha", "must be 1");
  }
  EDGETWIN_TRY(take_inputs(m, n, op, 1));
  return m.finish(n, std::move(op));
}

// Bounds are operands; attributes in old opsets.
Status lower_clip(Importer& m, const Node& n) {
  Op op = m.make(n, OpKind::clip);
  EDGETWIN_TRY(take_inputs(m, n, op, 1));
  const char* names[] = {"min", "max"};
  for (size_t i = 1; i <= 2; ++i) {
    ValueId bound = kAbsent;
    if (n.has_input(i)) {
      EDGETWIN_TRY_ASSIGN(bound, m.input(n, i));
    } else if (const auto v = n.real(names[i - 1])) {
      bound = m.add_floats(n.outputs.at(0) + "/" + names[i - 1], {}, {*v});
    }
    op.inputs.push_back(bound);
  }
  while (op.inputs.back() == kAbsent) op.inputs.pop_back();
  return m.finish(n, std::move(op));
}

Status lower_prelu(Importer& m, const Node& n) {
  Op op = m.make(n, OpKind::prelu);
  EDGETWIN_TRY(take_inputs(m, n, op, 2));
  return m.finish(n, std::move(op));
}

// Before opset 13 all axes from `axis` on are one.
Status lower_softmax(Importer& m, const Node& n) {
  const bool old = m.opset() < 13;
  Op op = m.make(n, kind_of(n.op_type));
  SoftmaxAttrs a;
  a.beta = 1.0F;
  EDGETWIN_TRY_ASSIGN(a.axis, small_integer(m, n, "axis", old ? 1 : -1));
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const Shape shape = m.shape(x);
  const int axis = a.axis < 0 ? a.axis + shape.rank() : a.axis;
  const bool fits = axis >= 0 && axis < shape.rank();
  // One axis longer than 1 is the same in both definitions.
  const bool single = fits && shape.elements(axis, shape.rank()) == shape[axis];
  if (!old || !fits || single) {
    op.attrs = a;
    op.inputs = {x};
    return m.finish(n, std::move(op));
  }
  Op flat = m.make(n, OpKind::flatten);
  flat.attrs = AxisAttrs{axis};
  flat.inputs = {x};
  EDGETWIN_TRY_ASSIGN(const ValueId rows, m.step(n, std::move(flat), "Flatten"));
  op.attrs = SoftmaxAttrs{1.0F, -1};
  op.inputs = {rows};
  EDGETWIN_TRY_ASSIGN(const ValueId result, m.step(n, std::move(op), n.op_type));
  Op back = m.make(n, OpKind::reshape);
  ReshapeAttrs wanted;
  for (const int64_t d : shape.dims()) wanted.new_shape.push_back(static_cast<int32_t>(d));
  back.attrs = std::move(wanted);
  back.type = "Reshape";
  back.inputs = {result};
  return m.finish(n, std::move(back));
}

Status lower_norm(Importer& m, const Node& n) {
  Op op = m.make(n, kind_of(n.op_type));
  NormAttrs a;
  EDGETWIN_TRY_ASSIGN(a.axis, small_integer(m, n, "axis", -1));
  EDGETWIN_TRY_ASSIGN(a.p, small_integer(m, n, "p", 2));
  a.epsilon = n.real("epsilon").value_or(1e-5F);
  op.attrs = a;
  const size_t most = op.kind == OpKind::layer_norm ? 3 : op.kind == OpKind::rms_norm ? 2 : 1;
  EDGETWIN_TRY(take_inputs(m, n, op, std::min(most, std::max<size_t>(1, n.inputs.size()))));
  return m.finish(n, std::move(op));
}

Status lower_reduce(Importer& m, const Node& n) {
  Op op = m.make(n, kind_of(n.op_type));
  ReduceAttrs a;
  a.keep_dims = n.integer("keepdims").value_or(1) != 0;
  a.noop_without_axes = n.integer("noop_with_empty_axes").value_or(0) != 0;
  op.attrs = a;
  EDGETWIN_TRY(take_inputs(m, n, op, 1));
  EDGETWIN_TRY_ASSIGN(auto axes, m.integers(n, 1, "the axes"));
  if (!axes) axes = n.integers("axes");  // of older opsets
  if (axes) op.inputs.push_back(m.add_integers(n.outputs.at(0) + "/axes", *axes));
  return m.finish(n, std::move(op));
}

// Between real types nothing happens: all of them are float32 here.
Status lower_cast(Importer& m, const Node& n) {
  constexpr int64_t kReal[] = {1, 10, 11, 16};
  const int64_t to = n.integer("to").value_or(0);
  EDGETWIN_TRY_ASSIGN(const ValueId id, m.input(n, 0));
  const bool real = std::count(std::begin(kReal), std::end(kReal), to) != 0;
  if (real && m.value(id).dtype == DType::float32) return m.alias(n, 0, id);
  if (!real) return m.bad_attribute(n, "to", "asks for a type that only constants can have");
  Op op = m.make(n, OpKind::cast);
  op.attrs = CastAttrs{m.value(id).dtype, DType::float32};
  op.inputs = {id};
  return m.finish(n, std::move(op), DType::float32);
}

}  // namespace edgetwin::onnx
