#include "robotics/device/device_engine.h"

#include <optional>

#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"
#include "robotics/engine/ports.h"
#include "targets/edgetpu/params/patch.h"
#include "targets/edgetpu/runtime/network.h"

namespace edgetwin::robotics {
namespace {

// The layer whose weights are exchanged, as the compiled file has it.
struct Exchange {
  size_t op = 0;   // of the uncompiled model
  Tensor weights;  // shape and type of the uncompiled model
};

std::optional<Exchange> find_exchange(const Graph& reference, const edgetpu::Located& located) {
  const Op* op = first_layer(reference);
  if (op == nullptr) return std::nullopt;
  const Value& weights = reference.value(op->inputs[1]);
  for (size_t i = 0; i < located.layers.size(); ++i) {
    if (&reference.ops[located.layers[i].op] != op || located.piece_of(i) == nullptr) continue;
    return Exchange{located.layers[i].op,
                    Tensor{weights.name, weights.dtype, weights.shape, weights.quant, {}}};
  }
  return std::nullopt;
}

}  // namespace

struct DeviceEngine::Impl {
  Bytes data;
  std::string name;
  darwinn::File file;
  std::shared_ptr<const Graph> reference;
  std::shared_ptr<edgetpu::EdgeTpuDevice> device;
  std::shared_ptr<const edgetpu::DeviceModel> original;
  std::optional<edgetpu::CompiledNetwork> network;
  std::optional<edgetpu::Located> located;
  std::optional<Exchange> exchange;
  Ports ports;
  bool is_open = false;

  Status prepare(const exec::Options& host) {
    EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, name));
    EDGETWIN_TRY_ASSIGN(ports, ports_of(model.main()));
    EDGETWIN_TRY_ASSIGN(file, darwinn::read(data, name));
    EDGETWIN_TRY_ASSIGN(
        auto made, edgetpu::CompiledNetwork::make(std::make_shared<const Model>(std::move(model)),
                                                  file, host));
    network.emplace(std::move(made));
    if (network->device_models().size() != 1)
      return Error(ErrorCode::module_model, "the model has " +
                                                std::to_string(network->device_models().size()) +
                                                " compiled operators; a module needs one");
    original = network->device_models()[0];
    if (reference == nullptr || original->caching() == nullptr) return Ok{};
    located.emplace(edgetpu::locate(file, *reference));
    exchange = find_exchange(*reference, *located);
    return Ok{};
  }

  Status check_exchangeable() const {
    if (exchange) return Ok{};
    return Error(ErrorCode::module_model,
                 "the weights of this model cannot be replaced while it runs: " +
                     std::string(original->caching() == nullptr
                                     ? "it does not keep them on the chip"
                                     : "the model that was compiled is not known"));
  }
};

DeviceEngine::DeviceEngine(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DeviceEngine::~DeviceEngine() = default;

Result<std::unique_ptr<DeviceEngine>> DeviceEngine::create(
    Bytes data, const std::string& name, std::shared_ptr<edgetpu::EdgeTpuDevice> device,
    std::shared_ptr<const Graph> reference, const exec::Options& host) {
  auto impl = std::make_unique<Impl>();
  impl->data = std::move(data);
  impl->name = name;
  impl->device = std::move(device);
  impl->reference = std::move(reference);
  const Status prepared = impl->prepare(host);
  if (!prepared.ok()) {
    Error error = prepared.error();
    if (error.place.file.empty()) error.place.file = name;
    return error;
  }
  return std::unique_ptr<DeviceEngine>(new DeviceEngine(std::move(impl)));
}

Status DeviceEngine::open() {
  EDGETWIN_TRY(impl_->device->load(impl_->network->device_models()[0]));
  impl_->is_open = true;
  return Ok{};
}
void DeviceEngine::close() { impl_->is_open = false; }
bool DeviceEngine::is_open() const { return impl_->is_open; }
const Port& DeviceEngine::input() const { return impl_->ports.input; }
const std::vector<Port>& DeviceEngine::outputs() const { return impl_->ports.outputs; }
bool DeviceEngine::exchangeable() const { return impl_->exchange.has_value(); }

size_t DeviceEngine::weight_count() const {
  return impl_->exchange ? static_cast<size_t>(impl_->exchange->weights.shape.elements()) : 0;
}

Result<std::vector<Bytes>> DeviceEngine::run(ByteSpan input) {
  const Ports& ports = impl_->ports;
  EDGETWIN_TRY(check_run(impl_->is_open, ports.input, input.size()));
  Tensor tensor{ports.input.name, ports.input.dtype, ports.input.shape, {}, to_bytes(input)};
  if (ports.input.dtype == DType::int8) flip(tensor.data);
  EDGETWIN_TRY_ASSIGN(std::vector<Tensor> outputs,
                      impl_->network->run(*impl_->device, {std::move(tensor)}));
  std::vector<Bytes> results;
  for (Tensor& t : outputs) {
    if (t.dtype == DType::int8) flip(t.data);
    results.push_back(std::move(t.data));
  }
  return results;
}

Status DeviceEngine::set_weights(std::span<const int8_t> weights) {
  EDGETWIN_TRY(impl_->check_exchangeable());
  if (weights.size() != weight_count())
    return Error(ErrorCode::module_weights, std::to_string(weights.size()) +
                                                " weights, the layer has " +
                                                std::to_string(weight_count()));
  edgetpu::LayerPatch change;
  change.layer = std::to_string(impl_->exchange->op);
  change.weights = impl_->exchange->weights;
  change.weights->data = to_bytes(std::as_bytes(weights));
  EDGETWIN_TRY_ASSIGN(const edgetpu::Patched patched,
                      edgetpu::patch(impl_->data, impl_->file, *impl_->located, {change}));
  EDGETWIN_TRY_ASSIGN(const darwinn::File file, darwinn::read(patched.file, impl_->name));
  EDGETWIN_TRY_ASSIGN(auto model, edgetpu::DeviceModel::make(file));
  impl_->network->replace(0, std::move(model));
  return Ok{};
}

Status DeviceEngine::reset_weights() {
  EDGETWIN_TRY(impl_->check_exchangeable());
  impl_->network->replace(0, impl_->original);
  return Ok{};
}

}  // namespace edgetwin::robotics
