// Element-wise operators, reductions, normalizations, recurrent operators.
#include <algorithm>

#include "formats/espdl/import/importer.h"

namespace edgetwin::espdl {
namespace {

Status take_inputs(Importer& m, Importer::Building& b, size_t count) {
  for (size_t i = 0; i < count; ++i) EDGETWIN_TRY(m.take_input(b, i));
  return Ok{};
}

// As many as the node names, at most `most`, at least `least`.
Status take_named(Importer& m, Importer::Building& b, size_t least, size_t most) {
  return take_inputs(m, b, std::clamp(b.node.inputs.size(), least, most));
}

Result<int> small(Importer& m, const Importer::Building& b, const char* attribute,
                  int64_t otherwise) {
  const int64_t v = b.node.integer(attribute).value_or(otherwise);
  if (v >= -(1 << 24) && v <= (1 << 24)) return static_cast<int>(v);
  return m.error(b, ErrorCode::espdl_attribute,
                 std::string(attribute) + " is " + std::to_string(v));
}

}  // namespace

Status import_binary(Importer& m, Importer::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  b.op.attrs = default_attrs(b.op.kind);
  if (b.op.kind == OpKind::mod && b.node.integer("fmod").value_or(1) != 1) {
    return m.error(b, ErrorCode::espdl_attribute, "fmod must be 1");
  }
  return take_inputs(m, b, 2);
}

Status import_unary(Importer& m, Importer::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  b.op.attrs = default_attrs(b.op.kind);
  if (auto* a = std::get_if<AlphaAttrs>(&b.op.attrs)) {
    const float usual = b.op.kind == OpKind::leaky_relu ? 0.01F
                        : b.op.kind == OpKind::elu      ? 1.0F
                                                        : 0.2F;
    a->alpha = b.node.real("alpha").value_or(usual);
    a->beta = b.node.real("beta").value_or(b.op.kind == OpKind::hard_sigmoid ? 0.5F : 0.0F);
  }
  return take_inputs(m, b, 1);
}

Status import_assign(Importer& m, Importer::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  return take_inputs(m, b, 1);  // scales and zero points are in the file, but nobody reads them
}

Status import_clip(Importer& m, Importer::Building& b) {
  b.op.kind = OpKind::clip;
  return take_named(m, b, 1, 3);
}

Status import_prelu(Importer& m, Importer::Building& b) {
  b.op.kind = OpKind::prelu;
  return take_inputs(m, b, 2);
}

Status import_softmax(Importer& m, Importer::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  SoftmaxAttrs a;
  a.beta = 1.0F;
  EDGETWIN_TRY_ASSIGN(a.axis, small(m, b, "axis", -1));
  b.op.attrs = a;
  return take_inputs(m, b, 1);
}

Status import_norm(Importer& m, Importer::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  NormAttrs a;
  EDGETWIN_TRY_ASSIGN(a.axis, small(m, b, "axis", -1));
  EDGETWIN_TRY_ASSIGN(a.p, small(m, b, "p", 2));
  a.epsilon = b.node.real("epsilon").value_or(1e-5F);
  b.op.attrs = a;
  const size_t most = b.op.kind == OpKind::layer_norm ? 3 : b.op.kind == OpKind::rms_norm ? 2 : 1;
  return take_named(m, b, 1, most);
}

Status import_reduce(Importer& m, Importer::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  ReduceAttrs a;
  a.keep_dims = b.node.integer("keepdims").value_or(1) != 0;
  a.noop_without_axes = b.node.integer("noop_with_empty_axes").value_or(0) != 0;
  b.op.attrs = a;
  EDGETWIN_TRY(m.take_input(b, 0));
  EDGETWIN_TRY_ASSIGN(auto axes, m.integers(b, 1, "the axes"));
  if (!axes) axes = b.node.integers("axes");  // of older opsets
  if (axes) b.op.inputs.push_back(m.add_integers(b, "axes", *axes));
  return Ok{};
}

Status import_recurrent(Importer& m, Importer::Building& b) {
  b.op.kind = kind_of(b.node.op_type);
  RecurrentAttrs a;
  const std::string direction = b.node.text("direction").value_or("forward");
  a.bidirectional = direction == "bidirectional";
  a.reverse = direction == "reverse";
  EDGETWIN_TRY_ASSIGN(a.hidden_size, small(m, b, "hidden_size", 0));
  EDGETWIN_TRY_ASSIGN(a.gate_exponent, small(m, b, "gate_exponent", -8));
  a.linear_before_reset = b.node.integer("linear_before_reset").value_or(0) != 0;
  if (b.node.integer("layout").value_or(0) != 0) {
    return m.error(b, ErrorCode::espdl_attribute, "layout must be 0");
  }
  b.op.attrs = a;
  return take_named(m, b, 3, b.op.kind == OpKind::gru ? 6 : 7);
}

}  // namespace edgetwin::espdl
