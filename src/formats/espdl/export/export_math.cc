// Element-wise operators, reductions, normalizations, recurrent operators.
#include <cmath>
#include <cstring>

#include "formats/espdl/export/exporter.h"

namespace edgetwin::espdl {
namespace {

// A tensor of one element.
template <class T>
TensorData scalar(DataType type, T number) {
  TensorData t;
  t.type = type;
  t.data.resize(sizeof number);
  std::memcpy(t.data.data(), &number, sizeof number);
  return t;
}

int exponent_of(const Value& v) { return v.quant.exponent.empty() ? 0 : v.quant.exponent[0]; }

}  // namespace

void export_binary(Exporter& e, Exporter::Building& b) {
  const auto* a = std::get_if<BinaryAttrs>(&b.op.attrs);
  if (a != nullptr && a->activation != Activation::none) {
    e.refuse(b, "the runtime fuses no activation into it");
  }
  if (b.op.kind == OpKind::mod) b.set("fmod", int64_t{1});
  e.take_inputs(b, 2);
}

void export_unary(Exporter& e, Exporter::Building& b) {
  if (const auto* a = std::get_if<AlphaAttrs>(&b.op.attrs)) {
    b.set("alpha", a->alpha);
    if (b.op.kind == OpKind::hard_sigmoid) b.set("beta", a->beta);
  }
  if (b.op.kind == OpKind::lut || b.op.kind == OpKind::gelu) {
    if (b.op.table == kAbsent) e.refuse(b, "the runtime looks it up, and here is no table");
  }
  if (b.op.table != kAbsent && e.graph().value(b.op.table).dtype == DType::int16) {
    const int64_t count = e.graph().value(b.op.table).shape.elements();
    if (count > 1) b.set("int16_lut_step", 65536 / (count - 1));
  }
  e.take_inputs(b, 1);
}

// The runtime goes by the exponents of the tensors; scale and zero point are for readers.
void export_assign(Exporter& e, Exporter::Building& b) {
  e.take_input(b, 0);
  if (b.op.kind == OpKind::identity) return;
  const Value& in = e.operand(b, 0);
  const Value& out = e.graph().value(b.op.outputs[0]);
  const bool back = b.op.kind == OpKind::dequantize;
  const int exponent = back ? exponent_of(in) : exponent_of(out) - exponent_of(in);
  e.add_made(b, "scale", scalar(DataType::float32, std::ldexp(1.0F, exponent)));
  const bool wide = (back ? in : out).dtype == DType::int16;
  e.add_made(b, "zero_point",
             wide ? scalar<int16_t>(DataType::int16, 0) : scalar<int8_t>(DataType::int8, 0));
}

void export_clip(Exporter& e, Exporter::Building& b) { e.take_inputs(b, b.op.inputs.size()); }

void export_prelu(Exporter& e, Exporter::Building& b) { e.take_inputs(b, 2); }

void export_softmax(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<SoftmaxAttrs>();
  if (a.beta != 1.0F) e.refuse(b, "the runtime has no factor beta but 1");
  b.set("axis", int64_t{a.axis});
  e.take_input(b, 0);
}

void export_norm(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<NormAttrs>();
  b.set("axis", int64_t{a.axis});
  if (b.op.kind == OpKind::lp_norm) {
    b.set("p", int64_t{a.p});
  } else {
    b.set("epsilon", a.epsilon);
  }
  e.take_inputs(b, b.op.inputs.size());
}

void export_reduce(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<ReduceAttrs>();
  b.set("keepdims", int64_t{a.keep_dims});
  b.set("noop_with_empty_axes", int64_t{a.noop_without_axes});
  e.take_input(b, 0);
  if (!b.op.has_input(1)) return;
  if (!e.operand(b, 1).is_constant()) e.refuse(b, "the axes must be a constant");
  e.add_integers(b, "axes", integers_of(e.operand(b, 1)));
}

void export_recurrent(Exporter& e, Exporter::Building& b) {
  const auto& a = b.op.as<RecurrentAttrs>();
  b.set("direction", a.bidirectional ? "bidirectional" : a.reverse ? "reverse" : "forward");
  b.set("hidden_size", int64_t{a.hidden_size});
  b.set("gate_exponent", int64_t{a.gate_exponent});
  if (b.op.kind == OpKind::gru) b.set("linear_before_reset", int64_t{a.linear_before_reset});
  e.take_inputs(b, b.op.inputs.size());
}

}  // namespace edgetwin::espdl
