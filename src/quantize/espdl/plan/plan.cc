#include "quantize/espdl/plan/plan.h"

#include <algorithm>
#include <set>

namespace edgetwin::quantize {
namespace {

constexpr OperatorInfo kOperators[] = {
#define QUANTIZED(kind, role, layout, parameters) \
  {OpKind::kind, Role::role, AxisRule::layout, Parameters::parameters},
#include "quantize/espdl/plan/operators.def"
#undef QUANTIZED
};

// Width of an operator: the exception for its name, or that for all. The runtime accepts a Resize
// of 16 bits and computes nothing (ESPDL-OP-03).
Result<int> bits_of(const Graph& graph, size_t index, const OperatorInfo& row, const Settings& s,
                    std::vector<Finding>& findings) {
  const Op& op = graph.ops[index];
  if (row.role == Role::real) return 0;
  const auto found = s.bits_of.find(op.name);
  const int wanted = found == s.bits_of.end() ? s.bits : found->second;
  if (row.role != Role::resize || wanted != 16 || !s.passes.fit_runtime) return wanted;
  if (found != s.bits_of.end()) {
    return Error(ErrorCode::quant_setting,
                 "16 bits for '" + op.name + "': the runtime computes a Resize of 8 bits only")
        .with_hint("Leave it at 8 bits: RequantizeLinear converts before and after it.");
  }
  findings.push_back({Severity::warning, "", op_label(graph, index),
                      "stays at 8 bits: the runtime accepts a Resize of 16 bits and computes "
                      "nothing",
                      "Layers with other widths beside it are converted; --layer-bits names those "
                      "that need 16 bits."});
  return 8;
}

Status check_settings(const Graph& graph, const Settings& s) {
  const auto bad = [](int bits) { return bits != 8 && bits != 16; };
  if (bad(s.bits)) {
    return Error(ErrorCode::quant_setting, std::to_string(s.bits) + " bits; 8 and 16 are possible");
  }
  std::set<std::string_view> names;
  for (const Op& op : graph.ops) names.insert(op.name);
  for (const auto& [name, bits] : s.bits_of) {
    if (!names.contains(name)) {
      return Error(ErrorCode::quant_setting, "the network has no operator '" + name + "'")
          .with_hint("`info` lists the operators with their names.");
    }
    if (bad(bits)) {
      return Error(ErrorCode::quant_setting,
                   std::to_string(bits) + " bits for '" + name + "'; 8 and 16 are possible");
    }
  }
  return Ok{};
}

}  // namespace

const OperatorInfo* operator_info(OpKind kind) {
  for (const OperatorInfo& row : kOperators) {
    if (row.kind == kind) return &row;
  }
  return nullptr;
}

QuantId Plan::add(OperandQuant::Kind kind, ValueId value, size_t op, int bits) {
  OperandQuant c;
  c.kind = kind;
  c.value = value;
  c.op = op;
  c.bits = bits;
  quants_.push_back(std::move(c));
  return static_cast<QuantId>(quants_.size() - 1);
}

QuantId Plan::input_quant(size_t index, size_t operand, int bits) {
  const Op& op = graph_->ops[index];
  const ValueId id = op.inputs[operand];
  if (id == kAbsent || bits == 0) return kNone;
  const Value& v = graph_->value(id);
  if (v.dtype != DType::float32) return kNone;
  const Parameters rest = ops_[index].info->parameters;
  if (operand > 0 && rest == Parameters::real) return kNone;
  if (operand > 0 && rest == Parameters::index && op.kind != OpKind::scatter_nd) return kNone;
  if (operand == 2 && rest == Parameters::bias) {
    return add(OperandQuant::Kind::bias, id, index, bias_bits(settings_->target, bits));
  }
  if (operand > 0 && rest == Parameters::follow && v.is_constant()) {
    return add(OperandQuant::Kind::follow, id, index, bits);
  }
  const QuantId c =
      add(v.is_constant() ? OperandQuant::Kind::parameter : OperandQuant::Kind::activation, id,
          index, bits);
  // The vector unit of the ESP32-P4 alone shifts every output channel on its own.
  const bool weights = operand == 1 && rest == Parameters::bias;
  const bool vector_unit = settings_->target == espdl::Target::esp32p4;
  if (weights && vector_unit && settings_->per_channel) quant(c).axis = 0;
  return c;
}

Status Plan::add_op(size_t index, int bits) {
  const Op& op = graph_->ops[index];
  ops_[index].bits = bits;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    ops_[index].inputs.push_back(input_quant(index, i, bits));
  }
  const bool real = ops_[index].info->role == Role::real_output || bits == 0;
  for (const ValueId id : op.outputs) {
    const bool integer = !real && graph_->value(id).dtype == DType::float32;
    ops_[index].outputs.push_back(integer ? add(OperandQuant::Kind::activation, id, index, bits)
                                          : kNone);
  }
  return Ok{};
}

Result<Plan> Plan::make(const Graph& graph, const Settings& settings) {
  EDGETWIN_TRY(check_settings(graph, settings));
  Plan plan(graph, settings);
  Error missing(ErrorCode::quant_operator, "");
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    plan.ops_[i].info = operator_info(op.kind);
    if (plan.ops_[i].info == nullptr) {
      const bool recurrent = op.kind == OpKind::gru || op.kind == OpKind::lstm;
      missing.details.push_back(op_label(graph, i) +
                                (recurrent ? ": recurrent layers are run, but not quantized yet: "
                                             "write them out as Gemm, Sigmoid, Tanh and Mul"
                                           : ""));
      continue;
    }
    EDGETWIN_TRY_ASSIGN(const int bits,
                        bits_of(graph, i, *plan.ops_[i].info, settings, plan.findings));
    EDGETWIN_TRY(plan.add_op(i, bits));
  }
  if (missing.details.empty()) return plan;
  missing.message = std::to_string(missing.details.size()) + " operators cannot be quantized for " +
                    std::string(espdl::name(settings.target));
  return missing;
}

QuantId Plan::root(QuantId id) const {
  while (quant(id).parent != kNone) id = quant(id).parent;
  return id;
}

void Plan::merge_into(QuantId id, QuantId by) {
  const QuantId from = root(id);
  const QuantId to = root(by);
  if (from == to) return;
  quant(from).parent = to;
  if (id != from) quant(id).parent = to;
}

void Plan::follow(QuantId id, QuantId by) {
  if (root(by) == id || id == by) return;  // it decides for `by` already
  // No operand may come to follow itself by way of others.
  for (QuantId c = by; c != kNone; c = quant(c).parent) {
    if (c == id) return;
  }
  quant(id).parent = by;
}

std::vector<size_t> Plan::downstream(size_t op) const {
  std::vector<size_t> all;
  for (const ValueId id : graph_->ops[op].outputs) {
    for (const size_t c : consumers(id)) {
      if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
    }
  }
  return all;
}

QuantId Plan::output_quant(ValueId id) const {
  const auto p = producer(id);
  if (!p) return kNone;
  const auto& outputs = graph_->ops[*p].outputs;
  const auto at = std::find(outputs.begin(), outputs.end(), id) - outputs.begin();
  return ops_[*p].outputs[static_cast<size_t>(at)];
}

}  // namespace edgetwin::quantize
