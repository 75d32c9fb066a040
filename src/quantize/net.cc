#include "quantize/net.h"

#include <algorithm>
#include <set>

namespace edgetwin::quantize {
namespace {

constexpr OperatorInfo kOperators[] = {
#define QUANTIZED(kind, role, layout, parameters) \
  {OpKind::kind, Role::role, Layout::layout, Parameters::parameters},
#include "quantize/operators.def"
#undef QUANTIZED
};

// Width of an operator: the exception for its name, or that for all.
int bits_of(const Op& op, const OperatorInfo& row, const Settings& s) {
  if (row.role == Role::real) return 0;
  const auto found = s.bits_of.find(op.name);
  return found == s.bits_of.end() ? s.bits : found->second;
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

ConfigId Net::add(Config::Kind kind, ValueId value, size_t op, int bits) {
  Config c;
  c.kind = kind;
  c.value = value;
  c.op = op;
  c.bits = bits;
  configs_.push_back(std::move(c));
  return static_cast<ConfigId>(configs_.size() - 1);
}

ConfigId Net::input_config(size_t index, size_t operand, int bits) {
  const Op& op = graph_->ops[index];
  const ValueId id = op.inputs[operand];
  if (id == kAbsent || bits == 0) return kNone;
  const Value& v = graph_->value(id);
  if (v.dtype != DType::float32) return kNone;
  const Parameters rest = ops_[index].info->parameters;
  if (operand > 0 && rest == Parameters::real) return kNone;
  if (operand > 0 && rest == Parameters::index && op.kind != OpKind::scatter_nd) return kNone;
  if (operand == 2 && rest == Parameters::bias) {
    return add(Config::Kind::bias, id, index, bias_bits(settings_->target, bits));
  }
  if (operand > 0 && rest == Parameters::follow && v.is_constant()) {
    return add(Config::Kind::follow, id, index, bits);
  }
  const ConfigId c =
      add(v.is_constant() ? Config::Kind::parameter : Config::Kind::activation, id, index, bits);
  // The vector unit of the ESP32-P4 alone shifts every output channel on its own.
  const bool weights = operand == 1 && rest == Parameters::bias;
  const bool vector_unit = settings_->target == espdl::Target::esp32p4;
  if (weights && vector_unit && settings_->per_channel) config(c).axis = 0;
  return c;
}

Status Net::add_op(size_t index, int bits) {
  const Op& op = graph_->ops[index];
  ops_[index].bits = bits;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    ops_[index].inputs.push_back(input_config(index, i, bits));
  }
  const bool real = ops_[index].info->role == Role::real_output || bits == 0;
  for (const ValueId id : op.outputs) {
    const bool integer = !real && graph_->value(id).dtype == DType::float32;
    ops_[index].outputs.push_back(integer ? add(Config::Kind::activation, id, index, bits) : kNone);
  }
  return Ok{};
}

Result<Net> Net::make(const Graph& graph, const Settings& settings) {
  EDGETWIN_TRY(check_settings(graph, settings));
  Net net;
  net.graph_ = &graph;
  net.settings_ = &settings;
  net.ops_.resize(graph.ops.size());
  net.producers_.assign(graph.values.size(), -1);
  net.consumers_.resize(graph.values.size());
  Error missing(ErrorCode::quant_operator, "");
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    net.ops_[i].info = operator_info(op.kind);
    if (net.ops_[i].info == nullptr) {
      const bool recurrent = op.kind == OpKind::gru || op.kind == OpKind::lstm;
      missing.details.push_back(op_label(graph, i) +
                                (recurrent ? ": recurrent layers are run, but not quantized yet: "
                                             "write them out as Gemm, Sigmoid, Tanh and Mul"
                                           : ""));
      continue;
    }
    for (const ValueId id : op.outputs)
      net.producers_[static_cast<size_t>(id)] = static_cast<int64_t>(i);
    for (const ValueId id : op.inputs) {
      if (id == kAbsent) continue;
      auto& list = net.consumers_[static_cast<size_t>(id)];
      if (list.empty() || list.back() != i) list.push_back(i);
    }
    EDGETWIN_TRY(net.add_op(i, bits_of(op, *net.ops_[i].info, settings)));
  }
  if (missing.details.empty()) return net;
  missing.message = std::to_string(missing.details.size()) + " operators cannot be quantized for " +
                    std::string(espdl::name(settings.target));
  return missing;
}

ConfigId Net::root(ConfigId id) const {
  while (config(id).father != kNone) id = config(id).father;
  return id;
}

void Net::dominate(ConfigId id, ConfigId by) {
  const ConfigId from = root(id);
  const ConfigId to = root(by);
  if (from == to) return;
  config(from).father = to;
  if (id != from) config(id).father = to;
}

void Net::follow(ConfigId id, ConfigId by) {
  if (root(by) == id || id == by) return;  // it decides for `by` already
  // Nobody may come to follow himself by way of others.
  for (ConfigId c = by; c != kNone; c = config(c).father) {
    if (c == id) return;
  }
  config(id).father = by;
}

std::optional<size_t> Net::producer(ValueId id) const {
  const int64_t p = producers_[static_cast<size_t>(id)];
  return p < 0 ? std::nullopt : std::optional<size_t>(static_cast<size_t>(p));
}

std::vector<size_t> Net::downstream(size_t op) const {
  std::vector<size_t> all;
  for (const ValueId id : graph_->ops[op].outputs) {
    for (const size_t c : consumers(id)) {
      if (std::find(all.begin(), all.end(), c) == all.end()) all.push_back(c);
    }
  }
  return all;
}

ConfigId Net::output_config(ValueId id) const {
  const auto p = producer(id);
  if (!p) return kNone;
  const auto& outputs = graph_->ops[*p].outputs;
  const auto at = std::find(outputs.begin(), outputs.end(), id) - outputs.begin();
  return ops_[*p].outputs[static_cast<size_t>(at)];
}

bool Net::is_graph_output(ValueId id) const {
  const auto& outs = graph_->outputs;
  return std::find(outs.begin(), outs.end(), id) != outs.end();
}

}  // namespace edgetwin::quantize
