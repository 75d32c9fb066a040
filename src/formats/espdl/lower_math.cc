// Element-wise operators, reductions, normalizations, recurrent operators.
#include "formats/espdl/lowering.h"

namespace edgetwin::espdl {
namespace {

Status take_inputs(Lowering& l, Lowering::Building& b, size_t count) {
  for (size_t i = 0; i < count; ++i) EDGETWIN_TRY(l.take_input(b, i));
  return Ok{};
}

// As many as the node names, at most `most`, at least `least`.
Status take_named(Lowering& l, Lowering::Building& b, size_t least, size_t most) {
  return take_inputs(l, b, std::clamp(b.node.inputs.size(), least, most));
}

Result<int> small(Lowering& l, const Lowering::Building& b, const char* attribute,
                  int64_t otherwise) {
  const int64_t v = b.node.integer(attribute).value_or(otherwise);
  if (v >= -(1 << 24) && v <= (1 << 24)) return static_cast<int>(v);
  return l.error(b, ErrorCode::espdl_attribute,
                 std::string(attribute) + " is " + std::to_string(v));
}

}  // namespace

Status lower_binary(Lowering& l, Lowering::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  b.op.attrs = default_attrs(b.op.kind);
  if (b.op.kind == OpKind::mod && b.node.integer("fmod").value_or(1) != 1) {
    return l.error(b, ErrorCode::espdl_attribute, "fmod must be 1");
  }
  return take_inputs(l, b, 2);
}

Status lower_unary(Lowering& l, Lowering::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  b.op.attrs = default_attrs(b.op.kind);
  if (auto* a = std::get_if<AlphaAttrs>(&b.op.attrs)) {
    const float usual = b.op.kind == OpKind::leaky_relu ? 0.01F
                        : b.op.kind == OpKind::elu      ? 1.0F
                                                        : 0.2F;
    a->alpha = b.node.real("alpha").value_or(usual);
    a->beta = b.node.real("beta").value_or(b.op.kind == OpKind::hard_sigmoid ? 0.5F : 0.0F);
  }
  return take_inputs(l, b, 1);
}

Status lower_assign(Lowering& l, Lowering::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  return take_inputs(l, b, 1);  // scales and zero points are in the file, but nobody reads them
}

Status lower_clip(Lowering& l, Lowering::Building& b) {
  b.op.kind = OpKind::clip;
  return take_named(l, b, 1, 3);
}

Status lower_prelu(Lowering& l, Lowering::Building& b) {
  b.op.kind = OpKind::prelu;
  return take_inputs(l, b, 2);
}

Status lower_softmax(Lowering& l, Lowering::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  SoftmaxAttrs a;
  a.beta = 1.0F;
  EDGETWIN_TRY_ASSIGN(a.axis, small(l, b, "axis", -1));
  b.op.attrs = a;
  return take_inputs(l, b, 1);
}

Status lower_norm(Lowering& l, Lowering::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  NormAttrs a;
  EDGETWIN_TRY_ASSIGN(a.axis, small(l, b, "axis", -1));
  EDGETWIN_TRY_ASSIGN(a.p, small(l, b, "p", 2));
  a.epsilon = b.node.real("epsilon").value_or(1e-5F);
  b.op.attrs = a;
  const size_t most = b.op.kind == OpKind::layer_norm ? 3 : b.op.kind == OpKind::rms_norm ? 2 : 1;
  return take_named(l, b, 1, most);
}

Status lower_reduce(Lowering& l, Lowering::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  ReduceAttrs a;
  a.keep_dims = b.node.integer("keepdims").value_or(1) != 0;
  a.noop_without_axes = b.node.integer("noop_with_empty_axes").value_or(0) != 0;
  b.op.attrs = a;
  EDGETWIN_TRY(l.take_input(b, 0));
  EDGETWIN_TRY_ASSIGN(auto axes, l.integers(b, 1, "the axes"));
  if (!axes) axes = b.node.integers("axes");  // of older opsets
  if (axes) b.op.inputs.push_back(l.add_integers(b, "axes", *axes));
  return Ok{};
}

Status lower_recurrent(Lowering& l, Lowering::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  RecurrentAttrs a;
  const std::string direction = b.node.text("direction").value_or("forward");
  a.bidirectional = direction == "bidirectional";
  a.reverse = direction == "reverse";
  EDGETWIN_TRY_ASSIGN(a.hidden_size, small(l, b, "hidden_size", 0));
  EDGETWIN_TRY_ASSIGN(a.gate_exponent, small(l, b, "gate_exponent", -8));
  a.linear_before_reset = b.node.integer("linear_before_reset").value_or(0) != 0;
  if (b.node.integer("layout").value_or(0) != 0) {
    return l.error(b, ErrorCode::espdl_attribute, "layout must be 0");
  }
  b.op.attrs = a;
  return take_named(l, b, 3, b.op.kind == OpKind::gru ? 6 : 7);
}

}  // namespace edgetwin::espdl
