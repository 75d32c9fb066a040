#include "targets/edgetpu/runtime/split_network.h"

#include <algorithm>

#include "formats/darwinn/variable_output.h"

namespace edgetwin::edgetpu {

namespace {

Error refuse_split(std::string message) { return {ErrorCode::device_request, std::move(message)}; }

// By name first, by place where the names of file and compiled operator differ.
Result<std::vector<ValueId>> match(const Graph& graph, const std::vector<ValueId>& values,
                                   const std::vector<OperatorPort>& ports, std::string_view what) {
  std::vector<ValueId> matched;
  for (size_t i = 0; i < ports.size(); ++i) {
    const auto named = std::ranges::find_if(
        values, [&](ValueId id) { return id != kAbsent && graph.value(id).name == ports[i].name; });
    const ValueId id = named != values.end() ? *named : i < values.size() ? values[i] : kAbsent;
    if (id == kAbsent)
      return refuse_split("the compiled operator has no " + std::string(what) + " '" +
                          ports[i].name + "'");
    const Value& value = graph.value(id);
    const auto bytes = static_cast<size_t>(storage_bytes(value.dtype, value.shape.elements()));
    if (!value.shape.is_static() || bytes != ports[i].bytes)
      return refuse_split("the " + std::string(what) + " '" + value.name + "' has " +
                          std::to_string(bytes) + " bytes, the device's '" + ports[i].name + "' " +
                          std::to_string(ports[i].bytes));
    matched.push_back(id);
  }
  return matched;
}

// A variable before the first run: real 0.
Bytes cleared(const Value& v) {
  const auto elements = static_cast<size_t>(v.shape.elements());
  const size_t size = byte_size(v.dtype);
  const int64_t zero = v.quant.zero_point_of(0);
  Bytes bytes(elements * size);
  for (size_t n = 0; n < bytes.size(); ++n) {
    bytes[n] = static_cast<std::byte>(static_cast<uint64_t>(zero) >> (n % size * 8U));
  }
  return bytes;
}

const darwinn::CompiledOp* compiled_at(const darwinn::File& file, size_t op) {
  for (const darwinn::CompiledOp& c : file.ops)
    if (c.graph == 0 && c.op == static_cast<int>(op)) return &c;
  return nullptr;
}

}  // namespace

Result<SplitNetwork> SplitNetwork::make(std::shared_ptr<const edgetwin::Model> model,
                                        const darwinn::File& file, const exec::Options& host,
                                        States states) {
  SplitNetwork network;
  network.model_ = std::move(model);
  const Graph& graph = network.graph();
  EDGETWIN_TRY_ASSIGN(network.parts_, split(graph, states));
  for (const GraphPart& part : network.parts_) {
    network.sessions_.emplace_back();
    if (!part.on_device) {
      EDGETWIN_TRY_ASSIGN(exec::Session session, exec::Session::create(part.graph, host));
      network.sessions_.back() = std::make_unique<exec::Session>(std::move(session));
      continue;
    }
    const darwinn::CompiledOp* compiled = compiled_at(file, part.first);
    if (compiled == nullptr || compiled->packages.size() != 1)
      return refuse_split(op_label(graph, part.first) + " does not hold one package");
    network.packages_.push_back(&compiled->packages[0]);
    network.operators_.push_back(part.first);
  }
  network.bindings_.resize(network.packages_.size());
  if (network.packages_.empty()) return refuse_split("the model has no operator for the Edge TPU");
  return network;
}

void SplitNetwork::reset_states() {
  for (auto& [id, bytes] : states_) bytes = cleared(graph().value(id));
}

Status SplitNetwork::bind(size_t index, const OperatorPorts& ports) {
  const Op& op = graph().ops[operators_[index]];
  Binding& binding = bindings_[index];
  EDGETWIN_TRY_ASSIGN(binding.inputs, match(graph(), op.inputs, ports.inputs, "input"));
  std::vector<ValueId> given = op.outputs;
  std::vector<OperatorPort> outputs = ports.outputs;
  for (const ValueId id : op.inputs) {
    if (id == kAbsent || !graph().value(id).is_variable) continue;
    states_[id] = cleared(graph().value(id));
    given.push_back(id);
    for (OperatorPort& p : outputs) {
      if (p.name == darwinn::variable_output(graph().value(id).name))
        p.name = graph().value(id).name;
    }
  }
  EDGETWIN_TRY_ASSIGN(binding.outputs, match(graph(), given, outputs, "output"));
  return Ok{};
}

Status SplitNetwork::run_host(size_t part, std::vector<Bytes>& values) {
  exec::Session& session = *sessions_[part];
  const GraphPart& p = parts_[part];
  for (size_t i = 0; i < p.inputs.size(); ++i)
    EDGETWIN_TRY(session.set_input(i, values[static_cast<size_t>(p.inputs[i])]));
  EDGETWIN_TRY(session.run());
  for (size_t i = 0; i < p.outputs.size(); ++i)
    values[static_cast<size_t>(p.outputs[i])] = to_bytes(session.bytes(session.graph().outputs[i]));
  return Ok{};
}

Status SplitNetwork::run_compiled(const Engine& engine, size_t index, std::vector<Bytes>& values,
                                  std::vector<DeviceOutput>* recorded) {
  const Binding& binding = bindings_[index];
  std::vector<ByteSpan> inputs;
  for (const ValueId id : binding.inputs) {
    const Value& value = graph().value(id);
    inputs.push_back(value.is_constant() ? ByteSpan(*value.constant)
                                         : ByteSpan(values[static_cast<size_t>(id)]));
  }
  EDGETWIN_TRY_ASSIGN(std::vector<Bytes> made, engine(index, inputs));
  if (made.size() != binding.outputs.size())
    return std::move(refuse_split("the compiled operator gave " + std::to_string(made.size()) +
                                  " outputs, it has " + std::to_string(binding.outputs.size())))
        .in_layer(label(index));
  for (size_t i = 0; i < made.size(); ++i) {
    const Value& value = graph().value(binding.outputs[i]);
    if (recorded != nullptr)
      recorded->push_back({{value.name, value.dtype, value.shape, value.quant, made[i]}});
    values[static_cast<size_t>(binding.outputs[i])] = std::move(made[i]);
  }
  return Ok{};
}

// Host parts may know shapes that the file leaves open.
std::vector<Tensor> SplitNetwork::outputs(const std::vector<Bytes>& values) const {
  std::vector<Tensor> all;
  for (const ValueId id : graph().outputs) {
    const Value& value = graph().value(id);
    Tensor t;
    t.name = value.name;
    t.dtype = value.dtype;
    t.shape = value.shape;
    t.quant = value.quant;
    t.data = value.is_constant() ? *value.constant : values[static_cast<size_t>(id)];
    for (size_t p = 0; p < parts_.size(); ++p) {
      const auto found = std::ranges::find(parts_[p].outputs, id);
      if (sessions_[p] == nullptr || found == parts_[p].outputs.end()) continue;
      const auto k = static_cast<size_t>(found - parts_[p].outputs.begin());
      t.shape = sessions_[p]->shape(sessions_[p]->graph().outputs[k]);
    }
    all.push_back(std::move(t));
  }
  return all;
}

Result<std::vector<Tensor>> SplitNetwork::run(const Engine& engine,
                                              const std::vector<Tensor>& inputs,
                                              std::vector<DeviceOutput>* recorded) {
  const Graph& g = graph();
  if (inputs.size() != g.inputs.size())
    return Error(ErrorCode::input_missing, "the model has " + std::to_string(g.inputs.size()) +
                                               " inputs, given are " +
                                               std::to_string(inputs.size()));
  std::vector<Bytes> values(g.values.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    values[static_cast<size_t>(g.inputs[i])] = inputs[i].data;
  for (const auto& [id, bytes] : states_) values[static_cast<size_t>(id)] = bytes;
  size_t index = 0;
  for (size_t p = 0; p < parts_.size(); ++p)
    EDGETWIN_TRY(parts_[p].on_device ? run_compiled(engine, index++, values, recorded)
                                     : run_host(p, values));
  for (auto& [id, bytes] : states_) bytes = values[static_cast<size_t>(id)];
  return outputs(values);
}

}  // namespace edgetwin::edgetpu
