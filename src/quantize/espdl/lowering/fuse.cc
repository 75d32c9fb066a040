// Relu inside the operator before it, and activations that the chip looks up.
#include <algorithm>

#include "lut/function.h"
#include "quantize/espdl/lowering/state.h"

namespace edgetwin::quantize {
namespace {

bool takes_relu(OpKind kind) {
  return kind == OpKind::conv_2d || kind == OpKind::depthwise_conv_2d ||
         kind == OpKind::fully_connected || kind == OpKind::matmul;
}

void set_relu(Op& op) {
  if (auto* a = std::get_if<Conv2DAttrs>(&op.attrs)) a->activation = Activation::relu;
  if (auto* a = std::get_if<FullyConnectedAttrs>(&op.attrs)) a->activation = Activation::relu;
  if (auto* a = std::get_if<MatMulAttrs>(&op.attrs)) a->activation = Activation::relu;
}

}  // namespace

void fuse_relu(LoweringState& state) {
  for (Node& p : state.nodes) {
    if (!takes_relu(p.op.kind) || p.bits == 0 || !state.single_use(p.op.outputs[0])) continue;
    Node& relu = state.nodes[state.consumers(p.op.outputs[0])[0]];
    if (relu.op.kind != OpKind::relu || relu.bits == 0) continue;
    set_relu(p.op);
    p.op.outputs = relu.op.outputs;
    p.outputs = relu.outputs;
    relu.erased = true;
  }
}

void make_luts(LoweringState& state) {
  const LutSettings& lut = state.settings().lut;
  const auto& types = lut.to_lut;
  const auto formula_of = [&](const Op& op) -> std::string {
    auto found = lut.formulas.find(op.name);
    if (found == lut.formulas.end()) found = lut.formulas.find(op.type);
    return found == lut.formulas.end() ? "" : found->second;
  };
  for (Node& p : state.nodes) {
    const bool wanted = std::find(types.begin(), types.end(), p.op.type) != types.end();
    const std::string formula = formula_of(p.op);
    if (p.erased || (!wanted && formula.empty()) || p.bits != 16 || p.inputs.empty() ||
        p.inputs[0] == kNone)
      continue;
    if (state.settings().target == espdl::Target::c) continue;
    if (!lut::function_from_name(p.op.type)) continue;
    p.formula = formula;
    p.original_type = p.op.type;
    p.original_attrs = p.op.attrs;
    p.op.kind = OpKind::lut;
    p.op.type = "LUT";
    p.op.attrs = NoAttrs{};
  }
}

}  // namespace edgetwin::quantize
