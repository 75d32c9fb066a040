// Operators that work on raw integers need operands of one exponent. An input that gives way keeps
// the exponent for itself (a RequantizeLinear then stands between), unless its producer feeds
// nobody else: then the producer computes in it at once. A producer that keeps the exponent of its
// own input cannot.
#include <algorithm>

#include "quantize/passes.h"

namespace edgetwin::quantize {
namespace {

std::vector<ConfigId> data_inputs(const Net& net, size_t op) {
  std::vector<ConfigId> all;
  for (const ConfigId c : net.ops()[op].inputs) {
    if (c == kNone) continue;
    const Config::Kind kind = net.config(c).kind;
    if (kind == Config::Kind::activation || kind == Config::Kind::parameter) all.push_back(c);
  }
  return all;
}

int largest_exponent(const Net& net, const std::vector<ConfigId>& configs) {
  int largest = -1000;
  for (const ConfigId c : configs) {
    for (const int e : net.decides(c).exponent) largest = std::max(largest, e);
  }
  return largest;
}

void override_producers(Net& net, size_t op, ConfigId master) {
  for (const ConfigId in : data_inputs(net, op)) {
    const ValueId value = net.config(in).value;
    const auto before = net.producer(value);
    if (!before || net.is_graph_output(value)) continue;
    const ConfigId made = net.output_config(value);
    if (made == kNone || net.config(made).bits != net.config(in).bits) continue;
    const Role role = net.ops()[*before].info->role;
    const bool keeps =
        role == Role::passive || (role == Role::moves && net.settings().passes.share_moves);
    if (!keeps && net.downstream(*before).size() == 1) net.follow(made, master);
  }
}

// All inputs take `master`'s exponent.
void align_to(Net& net, size_t op, ConfigId master) {
  for (const ConfigId in : data_inputs(net, op)) net.follow(in, master);
  override_producers(net, op, master);
}

void align_to_output(Net& net, size_t op) {
  const ConfigId out = net.ops()[op].outputs.empty() ? kNone : net.ops()[op].outputs[0];
  if (out != kNone) align_to(net, op, out);
}

void align_to_large(Net& net, size_t op) {
  std::vector<ConfigId> all = data_inputs(net, op);
  if (all.empty()) return;
  const ConfigId out = net.ops()[op].outputs[0];
  const ConfigId master = out != kNone ? out : all[0];
  if (out != kNone) all.push_back(out);
  const int e = largest_exponent(net, all);
  Config& deciding = net.config(out != kNone ? net.root(out) : master);
  if (out == kNone) deciding.father = kNone;
  deciding.exponent = {e};
  align_to(net, op, master);
}

void align(Net& net, size_t op, Alignment alignment) {
  if (alignment == Alignment::to_output) align_to_output(net, op);
  if (alignment == Alignment::to_large) align_to_large(net, op);
}

}  // namespace

void align_operands(Net& net) {
  const Passes& passes = net.settings().passes;
  for (size_t i = 0; i < net.ops().size(); ++i) {
    if (net.ops()[i].bits == 0) continue;
    switch (net.ops()[i].info->role) {
      case Role::elementwise:
        align(net, i, passes.elementwise);
        break;
      case Role::concat:
        align(net, i, passes.concat);
        break;
      case Role::resize:
        align(net, i, passes.resize);
        break;
      case Role::compare:
        align_to_large(net, i);
        break;
      default:
        if (net.graph().ops[i].kind == OpKind::prelu && passes.align_prelu) {
          const ConfigId in = net.ops()[i].inputs[0];
          if (in != kNone) net.follow(net.ops()[i].outputs[0], in);
        }
    }
  }
}

}  // namespace edgetwin::quantize
