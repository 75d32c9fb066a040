#include "targets/edgetpu/driver/device_model.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/sha256.h"
#include "formats/darwinn/relocate.h"
#include "targets/edgetpu/driver/program.h"

namespace edgetwin::edgetpu {

namespace {

using darwinn::ExecutableType;

Error refuse(std::string message) { return {ErrorCode::device_request, std::move(message)}; }

bool is_int8(darwinn::DataType type) { return type == darwinn::DataType::signed8; }

LayerPort port_of(const darwinn::Layer& layer) {
  LayerPort port;
  port.name = layer.name;
  port.type = layer.data_type;
  port.y = layer.y_dim;
  port.x = layer.x_dim;
  port.z = layer.z_dim;
  if (layer.numerics) {
    port.scale = layer.numerics->factor;
    port.zero_point = layer.numerics->zero_point - (is_int8(layer.data_type) ? 128 : 0);
  }
  port.bytes = static_cast<size_t>(layer.elements()) *
               static_cast<size_t>(darwinn::bytes_of(layer.data_type));
  port.padded_bytes = static_cast<size_t>(layer.size_bytes);
  port.buffer_bytes = port.padded_bytes;
  return port;
}

Status check_package(const darwinn::Package& package) {
  if (package.min_runtime_version > darwinn::kCurrentRuntimeVersion)
    return refuse("the model wants runtime version " + std::to_string(package.min_runtime_version) +
                  ", the newest known is " + std::to_string(darwinn::kCurrentRuntimeVersion));
  if (package.virtual_chip_id < 0) return refuse("the model is made for several chips");
  const darwinn::Executable* main = package.inference();
  if (main == nullptr) return refuse("the model has no executable that computes");
  if (main->batch_size != 1)
    return refuse("the model has a batch of " + std::to_string(main->batch_size) +
                  "; only 1 is executed");
  return Ok{};
}

// Weights that go to the same memory of the chip are sent by the same instructions.
std::string place_of(const darwinn::Executable& caching) {
  Bytes all;
  for (const darwinn::Bitstream& b : caching.bitstreams)
    all.insert(all.end(), b.data.begin(), b.data.end());
  return sha256_hex(all);
}

uint64_t content_of(ByteSpan parameters) {
  return std::stoull(sha256_hex(parameters).substr(0, 15), nullptr, 16);
}

uint64_t new_content() {
  static std::atomic<uint64_t> next{0};
  constexpr uint64_t kNotOfAFile = uint64_t{1} << 63;
  return kNotOfAFile | ++next;
}

}  // namespace

Result<std::shared_ptr<const DeviceModel>> DeviceModel::make(const darwinn::Package& package) {
  EDGETWIN_TRY(check_package(package));
  const darwinn::Executable& main = *package.inference();
  auto model = std::make_shared<DeviceModel>();
  auto layers = std::make_shared<Layers>();
  for (const darwinn::Layer& layer : main.inputs) layers->inputs.push_back(port_of(layer));
  for (const darwinn::Layer& layer : main.outputs) {
    layers->outputs.push_back(port_of(layer));
    EDGETWIN_TRY_ASSIGN(darwinn::Relayout relayout, darwinn::Relayout::make(layer));
    layers->relayouts.push_back(std::move(relayout));
  }
  EDGETWIN_TRY_ASSIGN(DeviceProgram program, make_program(main, layers->inputs));
  model->inference_ = std::make_shared<const DeviceProgram>(std::move(program));
  model->layers_ = std::move(layers);
  model->token_ = main.parameter_caching_token;
  const darwinn::Executable* caching = package.find(ExecutableType::parameter_caching);
  if (caching == nullptr || main.type == ExecutableType::stand_alone) return {std::move(model)};
  if (caching->parameter_caching_token == 0)
    return refuse("the executable that loads the weights has no token");
  std::vector<LayerPort> no_inputs;
  EDGETWIN_TRY_ASSIGN(program, make_program(*caching, no_inputs));
  model->token_ = caching->parameter_caching_token;
  if (main.parameter_caching_token != model->token_)
    return refuse("the two executables of the model have different tokens");
  model->place_ = place_of(*caching);
  model->content_ = content_of(program.parameters);
  model->caching_ = std::make_shared<const DeviceProgram>(std::move(program));
  return {std::move(model)};
}

Result<std::shared_ptr<const DeviceModel>> DeviceModel::make(const darwinn::File& file) {
  if (file.ops.size() != 1 || file.ops[0].packages.size() != 1)
    return refuse("the file has " + std::to_string(file.ops.size()) +
                  " compiled operators; one with one package is executed");
  return make(file.ops[0].packages[0]);
}

ByteSpan DeviceModel::parameters() const {
  return caching_ != nullptr ? caching_->parameters : inference_->parameters;
}

Result<std::shared_ptr<const DeviceModel>> DeviceModel::with_parameters(Bytes parameters) const {
  if (parameters.size() != this->parameters().size())
    return refuse("the model has " + std::to_string(this->parameters().size()) +
                  " bytes of parameters, given are " + std::to_string(parameters.size()));
  auto model = std::make_shared<DeviceModel>(*this);
  const DeviceProgram& old = caching_ != nullptr ? *caching_ : *inference_;
  auto program = std::make_shared<DeviceProgram>();
  program->steps = old.steps;
  program->bitstreams = old.bitstreams;
  program->scratch_bytes = old.scratch_bytes;
  program->parameters = std::move(parameters);
  (caching_ != nullptr ? model->caching_ : model->inference_) = std::move(program);
  model->content_ = new_content();
  return {std::move(model)};
}

Result<Bytes> DeviceModel::to_device(size_t input, ByteSpan host) const {
  const LayerPort& port = inputs()[input];
  if (host.size() != port.bytes && host.size() != port.padded_bytes)
    return refuse("input '" + port.name + "' has " + std::to_string(port.bytes) +
                  " bytes, given are " + std::to_string(host.size()));
  // A copy: flipping signs must not change what the caller holds.
  Bytes data(port.buffer_bytes);
  std::memcpy(data.data(), host.data(), host.size());
  if (darwinn::host_flips_sign(port.type))
    darwinn::flip_sign(std::span(data).first(port.bytes), port.type);
  return data;
}

Bytes DeviceModel::to_host(size_t output, ByteSpan tiles) const {
  const darwinn::Relayout& relayout = layers_->relayouts[output];
  Bytes dense(relayout.dense_bytes());
  relayout.to_dense(tiles, dense);
  if (darwinn::host_flips_sign(outputs()[output].type))
    darwinn::flip_sign(dense, outputs()[output].type);
  return dense;
}

}  // namespace edgetwin::edgetpu
