#include "targets/edgetpu/invoke/machine_network.h"

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

}  // namespace

Result<MachineNetwork> MachineNetwork::make(std::shared_ptr<const edgetwin::Model> model,
                                            const darwinn::File& file, const exec::Options& host) {
  MachineNetwork network;
  EDGETWIN_TRY_ASSIGN(network.network_, SplitNetwork::make(std::move(model), file, host));
  for (size_t n = 0; n < network.network_.packages().size(); ++n) {
    auto made = machine::Machine::make(*network.network_.packages()[n]);
    if (!made.ok()) return std::move(made.error()).in_layer(network.network_.label(n));
    const darwinn::Executable& e = made->executable();
    EDGETWIN_TRY(network.network_.bind(n, {ports_of(e.inputs), ports_of(e.outputs)}));
    network.machines_.push_back(std::move(*made));
  }
  return network;
}

Result<std::vector<Tensor>> MachineNetwork::run(const std::vector<Tensor>& inputs,
                                                std::vector<DeviceOutput>* recorded) {
  report_ = {};
  const auto engine = [&](size_t index,
                          const std::vector<ByteSpan>& from) -> Result<std::vector<Bytes>> {
    auto made = machines_[index].run_dense(from);
    if (!made.ok()) return std::move(made.error()).in_layer(network_.label(index));
    report_.instructions += machines_[index].report().instructions;
    report_.places += machines_[index].report().places;
    report_.real_functions += machines_[index].report().real_functions;
    return made;
  };
  return network_.run(engine, inputs, recorded);
}

}  // namespace edgetwin::edgetpu
