#include "robotics/device/device_engine.h"

#include "formats/darwinn/darwinn.h"
#include "formats/tflite/tflite.h"
#include "targets/edgetpu/runtime/network.h"
#include "twin/runners.h"

namespace edgetwin::robotics {
namespace {

std::shared_ptr<const twin::LoadedModel> loaded_of(const std::shared_ptr<const Graph>& source) {
  if (source == nullptr) return nullptr;
  Model model;
  model.graphs.push_back(*source);
  twin::LoadedModel loaded;
  loaded.model = std::make_shared<const Model>(std::move(model));
  return std::make_shared<const twin::LoadedModel>(std::move(loaded));
}

Result<std::unique_ptr<Engine>> engine_on(Bytes data, const std::string& name,
                                          std::shared_ptr<edgetpu::EdgeTpuDevice> device,
                                          const std::shared_ptr<const Graph>& source,
                                          const exec::Options& host) {
  twin::DeviceRun run;
  run.loaded.file = name;
  EDGETWIN_TRY_ASSIGN(Model model, tflite::read(data, name));
  run.loaded.model = std::make_shared<const Model>(std::move(model));
  EDGETWIN_TRY_ASSIGN(darwinn::File file, darwinn::read(data, name));
  run.file = std::make_shared<const darwinn::File>(std::move(file));
  run.host = host;
  EDGETWIN_TRY_ASSIGN(auto network,
                      edgetpu::CompiledNetwork::make(run.loaded.model, *run.file, host));
  run.network = std::make_unique<edgetpu::CompiledNetwork>(std::move(network));
  if (run.network->device_models().size() != 1)
    return Error(ErrorCode::module_model, "the model has " +
                                              std::to_string(run.network->device_models().size()) +
                                              " compiled operators; a module needs one");
  run.device = device;
  run.reference = loaded_of(source);
  const edgetpu::CompiledNetwork* loaded = run.network.get();
  EngineOptions options;
  options.start = [loaded, device] { return device->load(loaded->device_models().front()); };
  return Engine::over(twin::device_runner(std::move(run), Where::device, std::move(data)), options);
}

}  // namespace

Result<std::unique_ptr<Engine>> device_engine(Bytes data, const std::string& name,
                                              std::shared_ptr<edgetpu::EdgeTpuDevice> device,
                                              std::shared_ptr<const Graph> source,
                                              const exec::Options& host) {
  auto made = engine_on(std::move(data), name, std::move(device), source, host);
  if (made.ok()) return made;
  Error error = std::move(made).error();
  if (error.place.file.empty()) error.place.file = name;
  return error;
}

}  // namespace edgetwin::robotics
