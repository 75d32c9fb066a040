#include "serve/modes/engines.h"

#include <map>
#include <mutex>

#include "base/file.h"
#include "base/sha256.h"
#include "edgetwin/compile.h"
#include "edgetwin/network.h"
#include "formats/tflite/tflite.h"
#include "serve/modes/recompiled.h"
#include "twin/runners.h"

namespace edgetwin::serve {
namespace {

// Sets both.
class PairedWeights final : public Weights {
 public:
  PairedWeights(Weights& a, Weights& b) : a_(a), b_(b) {}
  const Shape& shape() const override { return a_.shape(); }
  std::span<const float> scales() const override { return a_.scales(); }
  Status set(std::span<const int8_t> w) override {
    EDGETWIN_TRY(a_.set(w));
    return b_.set(w);
  }
  Status set(std::span<const int8_t> w, std::span<const float> s) override {
    EDGETWIN_TRY(a_.set(w, s));
    return b_.set(w, s);
  }
  size_t raw_bytes() const override { return 0; }
  Status set_raw(ByteSpan) override {
    return Error(ErrorCode::module_weights, "device and twin together take weights, not bytes");
  }
  Status reset() override {
    EDGETWIN_TRY(a_.reset());
    return b_.reset();
  }
  Status upload() override {
    EDGETWIN_TRY(a_.upload());
    return b_.upload();
  }

 private:
  Weights& a_;
  Weights& b_;
};

int64_t different_bytes(const Tensor& a, const Tensor& b) {
  const size_t n = std::min(a.data.size(), b.data.size());
  int64_t count = static_cast<int64_t>(std::max(a.data.size(), b.data.size()) - n);
  for (size_t i = 0; i < n; ++i) count += a.data[i] != b.data[i] ? 1 : 0;
  return count;
}

// The device's results; the twin's beside them are only compared.
class BesideRunner final : public twin::PortedRunner {
 public:
  BesideRunner(std::unique_ptr<Runner> device, std::unique_ptr<Runner> twin,
               std::shared_ptr<Comparison> comparison)
      : device_(std::move(device)), twin_(std::move(twin)), comparison_(std::move(comparison)) {
    inputs_.assign(device_->inputs().begin(), device_->inputs().end());
    outputs_.assign(device_->outputs().begin(), device_->outputs().end());
    Weights* a = weights_of(*device_);
    Weights* b = weights_of(*twin_);
    if (a != nullptr && b != nullptr) weights_ = std::make_unique<PairedWeights>(*a, *b);
  }
  Where where() const override { return device_->where(); }
  std::string description() const override { return device_->description() + ", twin beside"; }
  std::string numerics() const override { return device_->numerics(); }
  Weights* weights() override { return weights_.get(); }
  Status reset() override {
    EDGETWIN_TRY(device_->reset());
    return twin_->reset();
  }
  Result<Run> run(std::span<const Tensor> inputs) override {
    EDGETWIN_TRY_ASSIGN(Run run, device_->run(inputs));
    EDGETWIN_TRY_ASSIGN(const Run other, twin_->run(inputs));
    compare(run, other);
    return run;
  }

 private:
  void compare(const Run& device, const Run& twin) {
    Comparison& c = *comparison_;
    ++c.runs;
    c.bytes = c.different = 0;
    for (size_t i = 0; i < std::min(device.outputs.size(), twin.outputs.size()); ++i) {
      c.bytes += static_cast<int64_t>(twin.outputs[i].data.size());
      c.different += different_bytes(device.outputs[i], twin.outputs[i]);
    }
    if (c.different == 0) return;
    ++c.runs_different;
    c.first_layer = first_layer(device, twin);
  }
  // In the order of the twin; only tensors that both have can be told.
  static std::string first_layer(const Run& device, const Run& twin) {
    for (const LayerResult& l : twin.layers) {
      for (const LayerResult& d : device.layers) {
        if (d.tensor.name == l.tensor.name && different_bytes(d.tensor, l.tensor) > 0) {
          return l.layer;
        }
      }
    }
    for (size_t i = 0; i < std::min(device.outputs.size(), twin.outputs.size()); ++i) {
      if (different_bytes(device.outputs[i], twin.outputs[i]) > 0) {
        return "output '" + twin.outputs[i].name + "'";
      }
    }
    return "";
  }

  std::unique_ptr<Runner> device_, twin_;
  std::shared_ptr<Comparison> comparison_;
  std::unique_ptr<Weights> weights_;
};

// Compiling proves each program, which takes seconds; the same network is compiled once.
Result<Bytes> compiled_file(const Bytes& network) {
  static std::mutex mutex;
  static std::map<std::string, Bytes> made;
  constexpr size_t kMost = 32;
  const std::lock_guard lock(mutex);
  const std::string key = sha256_hex(network);
  if (const auto found = made.find(key); found != made.end()) return found->second;
  if (made.size() >= kMost) made.clear();
  EDGETWIN_TRY_ASSIGN(EdgetpuCompiled c,
                      compile_edgetpu(network, "template.tflite", {.inputs = 1, .order = false}));
  if (c.file.empty()) {
    return Error(ErrorCode::module_model,
                 "no operator of this network can be compiled for the chip")
        .with_hint("Choose the twin.");
  }
  made.emplace(key, c.file);
  return std::move(c.file);
}

Result<std::unique_ptr<Runner>> device_runner_of(const Bytes& file, const std::string& device,
                                                 bool keep_layers,
                                                 const std::string& decoder = "") {
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(file, "template_edgetpu.tflite"));
  RunnerOptions options;
  options.decoder = decoder;
  options.keep_layers = keep_layers;
  options.where = device == "virtual" ? Where::virtual_device : Where::device;
  if (device != "virtual") options.device = device;
  return network.runner(options);
}

// Of a compiled file the machine.
Result<std::unique_ptr<Runner>> twin_runner_of(const Bytes& network_file, const std::string& file,
                                               bool keep_layers, const std::string& decoder = "") {
  OpenOptions open;
  if (file_kind(network_file) == FileKind::tflite) open.numerics = robotics::TwinOptions{}.numerics;
  EDGETWIN_TRY_ASSIGN(const Network network, Network::open(network_file, file, open));
  RunnerOptions options;
  options.decoder = decoder;
  options.keep_layers = keep_layers;
  return network.runner(options);
}

}  // namespace

std::string badge_of(const EngineChoice& choice) {
  return choice.device == "twin" ? "TWIN" : choice.device == "virtual" ? "VIRTUAL" : "HARDWARE";
}

std::string refuse_engine(const std::string& device) {
  if (device == "twin" || device == "virtual" || device == "usb") return "";
  if (device.starts_with("usb:") && device.size() > 4 && device.size() < 40) return "";
  return "'" + device.substr(0, 60) + "' is not twin, virtual, usb or usb:BUS-PORT";
}

Result<robotics::Prepared> prepare(Result<edgetpu::templates::Template> made,
                                   const EngineChoice& choice) {
  if (!made.ok()) return std::move(made).error();
  if (choice.device == "twin") return robotics::on_twin(std::move(made), {});
  EDGETWIN_TRY_ASSIGN(const Bytes network, tflite::write(made->model));
  const bool beside = choice.beside != nullptr;
  const auto make = [device = choice.device,
                     beside](const Model& model) -> Result<std::unique_ptr<Runner>> {
    EDGETWIN_TRY_ASSIGN(const Bytes changed, tflite::write(model));
    EDGETWIN_TRY_ASSIGN(const Bytes file, compiled_file(changed));
    return device_runner_of(file, device, beside);
  };
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> runner,
                      recompiled_runner(std::make_shared<const Model>(made->model), make));
  if (beside) {
    EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> twin,
                        twin_runner_of(network, "template.tflite", true));
    runner = std::make_unique<BesideRunner>(std::move(runner), std::move(twin), choice.beside);
  }
  EDGETWIN_TRY_ASSIGN(std::shared_ptr<robotics::Engine> engine,
                      robotics::Engine::over(std::move(runner)));
  return robotics::Prepared{std::move(engine), robotics::Sidecar(made->metadata)};
}

Result<std::unique_ptr<Runner>> runner_of_file(const std::string& file, const EngineChoice& choice,
                                               const std::string& decoder) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  const bool beside = choice.beside != nullptr;
  if (choice.device == "twin") return twin_runner_of(data, file, false, decoder);
  Bytes compiled;
  if (file_kind(data) == FileKind::tflite) {
    EDGETWIN_TRY_ASSIGN(compiled, compiled_file(data));
  }
  EDGETWIN_TRY_ASSIGN(
      std::unique_ptr<Runner> runner,
      device_runner_of(compiled.empty() ? data : compiled, choice.device, beside, decoder));
  if (!beside) return runner;
  EDGETWIN_TRY_ASSIGN(std::unique_ptr<Runner> twin, twin_runner_of(data, file, true, decoder));
  return std::unique_ptr<Runner>(
      std::make_unique<BesideRunner>(std::move(runner), std::move(twin), choice.beside));
}

}  // namespace edgetwin::serve
