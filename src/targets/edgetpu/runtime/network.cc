#include "targets/edgetpu/runtime/network.h"

namespace edgetwin::edgetpu {

namespace {

std::vector<OperatorPort> ports_of(const std::vector<LayerPort>& layers) {
  std::vector<OperatorPort> ports;
  for (const LayerPort& l : layers) ports.push_back({l.name, l.bytes});
  return ports;
}

}  // namespace

Result<CompiledNetwork> CompiledNetwork::make(std::shared_ptr<const edgetwin::Model> model,
                                              const darwinn::File& file,
                                              const exec::Options& host) {
  CompiledNetwork network;
  EDGETWIN_TRY_ASSIGN(network.network_,
                      SplitNetwork::make(std::move(model), file, host, States::kept));
  for (size_t n = 0; n < network.network_.packages().size(); ++n) {
    Result<std::shared_ptr<const DeviceModel>> made =
        DeviceModel::make(*network.network_.packages()[n]);
    if (!made.ok()) return std::move(made.error()).in_layer(network.network_.label(n));
    EDGETWIN_TRY(
        network.network_.bind(n, {ports_of((*made)->inputs()), ports_of((*made)->outputs())}));
    network.devices_.push_back(std::move(*made));
  }
  return network;
}

Result<std::vector<Tensor>> CompiledNetwork::run(EdgeTpuDevice& device,
                                                 const std::vector<Tensor>& inputs,
                                                 std::vector<DeviceOutput>* recorded) {
  const auto engine = [&](size_t index, const std::vector<ByteSpan>& from) {
    return device.run(devices_[index], from);
  };
  return network_.run(engine, inputs, recorded);
}

}  // namespace edgetwin::edgetpu
