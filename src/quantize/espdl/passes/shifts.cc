// A sum of products at 2^(a + b) becomes an output at 2^c by a shift to the right: c - a - b must
// not be negative, the runtime has no shift to the left.
#include <algorithm>

#include "quantize/espdl/passes/passes.h"

namespace edgetwin::quantize {
namespace {

bool multiplies(const Op& op) {
  switch (op.kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
    case OpKind::fully_connected:
    case OpKind::matmul:
    case OpKind::mul:
      return true;
    default:
      return false;
  }
}

int largest(const OperandQuant& c) {
  return *std::max_element(c.exponent.begin(), c.exponent.end());
}

void raise(Plan& plan, size_t i) {
  const OpQuants& c = plan.ops()[i];
  if (c.inputs.size() < 2 || c.inputs[0] == kNone || c.inputs[1] == kNone) return;
  if (c.outputs.empty() || c.outputs[0] == kNone) return;
  const int a = largest(plan.deciding(c.inputs[0]));
  const int b = largest(plan.deciding(c.inputs[1]));
  OperandQuant& out = plan.quant(plan.root(c.outputs[0]));
  const int before = largest(out);
  if (before >= a + b) return;
  const bool repair = plan.settings().passes.raise_shifts;
  if (repair) out.exponent = {a + b};
  plan.findings.push_back(
      {Severity::warning, "", op_label(plan.graph(), i),
       "the shift would be negative: " + std::to_string(before) + " - (" + std::to_string(a) +
           ") - (" + std::to_string(b) + ") = " + std::to_string(before - a - b) +
           (repair ? ", so the output takes 2^" + std::to_string(a + b) : std::string()),
       repair ? "" : "The runtime cannot compute it; leave out --like upstream, or take 16 bits."});
}

}  // namespace

void raise_shifts(Plan& plan) {
  for (size_t i = 0; i < plan.ops().size(); ++i) {
    if (multiplies(plan.graph().ops[i]) && plan.ops()[i].bits != 0) raise(plan, i);
  }
}

}  // namespace edgetwin::quantize
