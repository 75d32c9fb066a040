#include "targets/edgetpu/runtime/machine_network.h"

#include "targets/edgetpu/sync/interleaved.h"

namespace edgetwin::edgetpu {

namespace {

std::vector<OperatorPort> ports_of(const std::vector<darwinn::Layer>& layers) {
  std::vector<OperatorPort> ports;
  for (const darwinn::Layer& l : layers) {
    const auto elements = static_cast<size_t>(l.elements());
    ports.push_back({l.name, elements * static_cast<size_t>(darwinn::bytes_of(l.data_type))});
  }
  return ports;
}

// What the machine itself cannot execute says more than that the network does not fit a device.
Error first_refusal(const edgetwin::Model& model, const darwinn::File& file, Error otherwise) {
  for (const darwinn::CompiledOp& c : file.ops) {
    const bool in_graph = c.op >= 0 && static_cast<size_t>(c.op) < model.main().ops.size();
    if (c.graph != 0 || !in_graph || c.packages.size() != 1) continue;
    auto made = machine::Machine::make(c.packages[0]);
    if (made.ok()) continue;
    return std::move(made.error()).in_layer(op_label(model.main(), static_cast<size_t>(c.op)));
  }
  return otherwise;
}

}  // namespace

Result<MachineNetwork> MachineNetwork::make(const std::shared_ptr<const edgetwin::Model>& model,
                                            const darwinn::File& file, const exec::Options& host) {
  MachineNetwork network;
  auto split = SplitNetwork::make(model, file, host, States::kept);
  if (!split.ok()) return first_refusal(*model, file, std::move(split).error());
  network.network_ = std::move(*split);
  for (size_t n = 0; n < network.network_.packages().size(); ++n) {
    auto made = machine::Machine::make(*network.network_.packages()[n]);
    if (!made.ok()) return std::move(made.error()).in_layer(network.network_.label(n));
    const darwinn::Executable& e = made->executable();
    EDGETWIN_TRY(network.network_.bind(n, {ports_of(e.inputs), ports_of(e.outputs)}));
    network.machines_.push_back(std::move(*made));
  }
  return network;
}

Result<std::vector<Bytes>> MachineNetwork::run_operator(size_t index,
                                                        const std::vector<ByteSpan>& from) {
  machine::Machine& m = machines_[index];
  const std::vector<Bytes> wire = machine::to_wire(m.executable(), from);
  const std::vector<ByteSpan> inputs(wire.begin(), wire.end());
  EDGETWIN_TRY_ASSIGN(std::vector<Bytes> outputs, m.run(inputs));
  if (seed_) {
    EDGETWIN_TRY_ASSIGN(sync::Interleaved other,
                        sync::run_interleaved(*network_.packages()[index], inputs, *seed_, outputs,
                                              network_.label(index)));
    findings_.insert(findings_.end(), other.findings.begin(), other.findings.end());
    if (other.outputs.empty() && !outputs.empty()) {
      return Error(ErrorCode::chip_stream, findings_.back().message)
          .detail("order of engines " + std::to_string(*seed_));
    }
    outputs = std::move(other.outputs);
  }
  return machine::to_dense(m.executable(), std::move(outputs));
}

Result<std::vector<Tensor>> MachineNetwork::run(const std::vector<Tensor>& inputs,
                                                std::vector<DeviceOutput>* recorded) {
  report_ = {};
  findings_.clear();
  const auto engine = [&](size_t index,
                          const std::vector<ByteSpan>& from) -> Result<std::vector<Bytes>> {
    auto made = run_operator(index, from);
    if (!made.ok()) return std::move(made.error()).in_layer(network_.label(index));
    report_.instructions += machines_[index].report().instructions;
    report_.places += machines_[index].report().places;
    report_.real_functions += machines_[index].report().real_functions;
    report_.odd_functions += machines_[index].report().odd_functions;
    return made;
  };
  return network_.run(engine, inputs, recorded);
}

}  // namespace edgetwin::edgetpu
