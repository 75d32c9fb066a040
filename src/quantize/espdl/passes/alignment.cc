// Operators that work on raw integers need operands of one exponent. An input that gives way keeps
// the exponent for itself (a RequantizeLinear then stands between), unless its producer feeds
// nobody else: then the producer computes in it at once. A producer that keeps the exponent of its
// own input cannot.
#include <algorithm>

#include "quantize/espdl/passes/passes.h"

namespace edgetwin::quantize {
namespace {

std::vector<QuantId> data_inputs(const Plan& plan, size_t op) {
  std::vector<QuantId> all;
  for (const QuantId c : plan.ops()[op].inputs) {
    if (c == kNone) continue;
    const OperandQuant::Kind kind = plan.quant(c).kind;
    if (kind == OperandQuant::Kind::activation || kind == OperandQuant::Kind::parameter)
      all.push_back(c);
  }
  return all;
}

int largest_exponent(const Plan& plan, const std::vector<QuantId>& quants) {
  int largest = -1000;
  for (const QuantId c : quants) {
    for (const int e : plan.deciding(c).exponent) largest = std::max(largest, e);
  }
  return largest;
}

void override_producers(Plan& plan, size_t op, QuantId master) {
  for (const QuantId in : data_inputs(plan, op)) {
    const ValueId value = plan.quant(in).value;
    const auto before = plan.producer(value);
    if (!before || plan.is_graph_output(value)) continue;
    const QuantId made = plan.output_quant(value);
    if (made == kNone || plan.quant(made).bits != plan.quant(in).bits) continue;
    const Role role = plan.ops()[*before].info->role;
    const bool keeps =
        role == Role::passive || (role == Role::moves && plan.settings().passes.share_moves);
    if (!keeps && plan.downstream(*before).size() == 1) plan.follow(made, master);
  }
}

// All inputs take `master`'s exponent.
void align_to(Plan& plan, size_t op, QuantId master) {
  for (const QuantId in : data_inputs(plan, op)) plan.follow(in, master);
  override_producers(plan, op, master);
}

void align_to_output(Plan& plan, size_t op) {
  const QuantId out = plan.ops()[op].outputs.empty() ? kNone : plan.ops()[op].outputs[0];
  if (out != kNone) align_to(plan, op, out);
}

void align_to_large(Plan& plan, size_t op) {
  std::vector<QuantId> all = data_inputs(plan, op);
  if (all.empty()) return;
  const QuantId out = plan.ops()[op].outputs[0];
  const QuantId master = out != kNone ? out : all[0];
  if (out != kNone) all.push_back(out);
  const int e = largest_exponent(plan, all);
  OperandQuant& deciding = plan.quant(out != kNone ? plan.root(out) : master);
  if (out == kNone) deciding.parent = kNone;
  deciding.exponent = {e};
  align_to(plan, op, master);
}

void align(Plan& plan, size_t op, Alignment alignment) {
  if (alignment == Alignment::to_output) align_to_output(plan, op);
  if (alignment == Alignment::to_large) align_to_large(plan, op);
}

}  // namespace

void align_operands(Plan& plan) {
  const Passes& passes = plan.settings().passes;
  for (size_t i = 0; i < plan.ops().size(); ++i) {
    if (plan.ops()[i].bits == 0) continue;
    switch (plan.ops()[i].info->role) {
      case Role::elementwise:
        align(plan, i, passes.elementwise);
        break;
      case Role::concat:
        align(plan, i, passes.concat);
        break;
      case Role::resize:
        align(plan, i, passes.resize);
        break;
      case Role::compare:
        align_to_large(plan, i);
        break;
      default:
        if (plan.graph().ops[i].kind == OpKind::prelu && passes.align_prelu) {
          const QuantId in = plan.ops()[i].inputs[0];
          if (in != kNone) plan.follow(plan.ops()[i].outputs[0], in);
        }
    }
  }
}

}  // namespace edgetwin::quantize
