// Compiled Edge TPU models as runners: the machine or a device executes their programs, the twin
// what the compiler left to the host.
#include <deque>

#include "targets/edgetpu/runtime/machine_network.h"
#include "twin/device.h"
#include "twin/machine.h"
#include "twin/runners.h"
#include "twin/weights/device_weights.h"

namespace edgetwin::twin {
namespace {

// What a compiled operator gave, as the host sees it.
LayerResult device_layer(edgetpu::DeviceOutput output) {
  LayerResult l;
  l.layer = "device output '" + output.tensor.name + "'";
  l.type = "device";
  l.tensor = std::move(output.tensor);
  return l;
}

class EdgetpuMachineRunner : public PortedRunner {
 public:
  static Result<std::unique_ptr<Runner>> make(const LoadedModel& given, Bytes data,
                                              const ComputeOptions& compute,
                                              const std::string& decoder) {
    auto runner = std::make_unique<EdgetpuMachineRunner>();
    const LoadedModel loaded = for_decoder(given, decoder, runner->pose_options_);
    runner->model_ = loaded.model;
    runner->data_ = std::move(data);
    runner->host_ = host_options(compute);
    EDGETWIN_TRY_ASSIGN(darwinn::File file, darwinn::read(runner->data_, loaded.file));
    runner->findings_ = loaded.model->findings;
    runner->findings_.insert(runner->findings_.end(), file.findings.begin(), file.findings.end());
    runner->file_ = std::make_unique<const darwinn::File>(std::move(file));
    EDGETWIN_TRY_ASSIGN(edgetpu::MachineNetwork network,
                        edgetpu::MachineNetwork::make(loaded.model, *runner->file_, runner->host_));
    runner->network_ = std::make_unique<edgetpu::MachineNetwork>(std::move(network));
    for (const edgetpu::GraphPart& part : runner->network_->parts()) {
      if (!part.on_device) runner->host_operators_ += part.count;
    }
    const Graph& graph = loaded.model->main();
    runner->inputs_ = graph_ports(graph, graph.inputs);
    runner->outputs_ = graph_ports(graph, graph.outputs);
    return std::unique_ptr<Runner>(std::move(runner));
  }

  Where where() const override { return Where::machine; }
  std::string numerics() const override { return host_.numerics; }
  std::string description() const override {
    std::string text = "machine of the Edge TPU";
    if (host_operators_ > 0) {
      text += "; " + std::to_string(host_operators_) +
              (host_operators_ == 1 ? " operator" : " operators") + " on the host, numerics " +
              host_.numerics;
    }
    return text;
  }

  Status reset() override {
    network_->reset_states();
    return Ok{};
  }

  DecoderView decoder_view() const override { return {&model_->main(), pose_options_}; }

  Result<Run> run(std::span<const Tensor> inputs) override {
    EDGETWIN_TRY(check_inputs(inputs));
    std::vector<edgetpu::DeviceOutput> recorded;
    Run run;
    EDGETWIN_TRY_ASSIGN(run.outputs, network_->run({inputs.begin(), inputs.end()}, &recorded));
    for (edgetpu::DeviceOutput& d : recorded) run.layers.push_back(device_layer(std::move(d)));
    if (const auto open = open_point(network_->report())) run.findings.push_back(*open);
    run.numerics = graph_numerics(network_->report());
    const bool named = host_.numerics.starts_with(std::string(kChipNumerics) + ":");
    if (named && network_->report().real_functions == 0) run.numerics = host_.numerics;
    return run;
  }

 private:
  Bytes data_;
  std::unique_ptr<const darwinn::File> file_;
  std::unique_ptr<edgetpu::MachineNetwork> network_;
  std::shared_ptr<const Model> model_;
  std::optional<PosenetAttrs> pose_options_;
  exec::Options host_;
  size_t host_operators_ = 0;
};

class DeviceRunner : public PortedRunner {
 public:
  DeviceRunner(DeviceRun run, Where where, Bytes data,
               std::optional<PosenetAttrs> pose_options = {})
      : run_(std::move(run)), where_(where), data_(std::move(data)), pose_options_(pose_options) {
    const Graph& graph = run_.network->graph();
    inputs_ = graph_ports(graph, graph.inputs);
    outputs_ = graph_ports(graph, graph.outputs);
    findings_ = run_.loaded.model->findings;
  }

  Where where() const override { return where_; }
  std::string numerics() const override { return run_.host.numerics; }
  std::string description() const override {
    return std::string(edgetwin::name(where_)) + ", " + device_text(run_);
  }

  Status reset() override {
    run_.network->reset_states();
    return Ok{};
  }

  Result<Run> run(std::span<const Tensor> inputs) override {
    EDGETWIN_TRY(check_inputs(inputs));
    run_.inputs.tensors = {inputs.begin(), inputs.end()};
    std::vector<edgetpu::DeviceOutput> recorded;
    Run result;
    EDGETWIN_TRY_ASSIGN(result.outputs, run_.run(&recorded));
    for (edgetpu::DeviceOutput& d : recorded) result.layers.push_back(device_layer(std::move(d)));
    result.findings = run_.device->take_findings();
    result.numerics = kChipNumerics;
    return result;
  }

  DecoderView decoder_view() const override { return {&run_.network->graph(), pose_options_}; }

  Weights* weights() override {
    if (weights_ == nullptr) {
      weights_ =
          device_weights({run_.network.get(), run_.device, &data_, run_.file, run_.loaded.file,
                          run_.reference == nullptr ? nullptr : run_.reference->graph()});
    }
    return weights_.get();
  }

  Result<std::vector<Run>> run_batch(std::span<const std::vector<Tensor>> inputs) override {
    return is_one_operator() ? run_ahead(inputs) : PortedRunner::run_batch(inputs);
  }

 private:
  // Nothing is left to the host, and ports need no matching.
  bool is_one_operator() const {
    const auto& models = run_.network->device_models();
    return run_.network->parts().size() == 1 && inputs_.size() == 1 && outputs_.size() == 1 &&
           models.size() == 1 && models[0]->inputs().size() == 1 &&
           models[0]->outputs().size() == 1;
  }

  // The next ones are on their way while one is computed.
  Result<std::vector<Run>> run_ahead(std::span<const std::vector<Tensor>> inputs) {
    constexpr size_t kAhead = 4;
    std::deque<edgetpu::EdgeTpuDevice::Pending> pending;
    std::vector<Run> runs;
    const auto finish_first = [&]() -> Status {
      EDGETWIN_TRY_ASSIGN(std::vector<Bytes> made, pending.front().get());
      pending.pop_front();
      const Port& port = outputs_.front();
      Run run;
      run.outputs.push_back({port.name, port.dtype, port.shape, port.quant, std::move(made[0])});
      run.numerics = kChipNumerics;
      runs.push_back(std::move(run));
      return Ok{};
    };
    for (const std::vector<Tensor>& one : inputs) {
      EDGETWIN_TRY(check_inputs(one));
      const ByteSpan bytes[] = {one.front().data};
      EDGETWIN_TRY_ASSIGN(auto started,
                          run_.device->start(run_.network->device_models().front(), bytes));
      pending.push_back(std::move(started));
      if (pending.size() > kAhead) EDGETWIN_TRY(finish_first());
    }
    while (!pending.empty()) EDGETWIN_TRY(finish_first());
    if (!runs.empty()) runs.back().findings = run_.device->take_findings();
    return runs;
  }

  DeviceRun run_;
  Where where_;
  Bytes data_;  // of the file
  std::optional<PosenetAttrs> pose_options_;
  std::unique_ptr<Weights> weights_;
};

}  // namespace

Result<std::unique_ptr<Runner>> device_runner(const LoadedModel& loaded, ByteSpan data,
                                              const ComputeOptions& compute,
                                              const RunnerOptions& options) {
  DeviceChoice choice;
  choice.device = options.where != Where::virtual_device ? options.device
                  : options.reference.empty()            ? "virtual"
                                                         : "virtual:source";
  choice.reference = options.reference;
  std::optional<PosenetAttrs> pose_options;
  const LoadedModel model = for_decoder(loaded, options.decoder, pose_options);
  EDGETWIN_TRY_ASSIGN(DeviceRun run, open_on_device(data, model, compute, choice));
  return std::unique_ptr<Runner>(
      std::make_unique<DeviceRunner>(std::move(run), options.where, to_bytes(data), pose_options));
}

std::unique_ptr<Runner> device_runner(DeviceRun run, Where where, Bytes data) {
  return std::make_unique<DeviceRunner>(std::move(run), where, std::move(data));
}

Result<std::unique_ptr<Runner>> machine_runner(const LoadedModel& loaded, Bytes data,
                                               const ComputeOptions& compute,
                                               const RunnerOptions& options) {
  return EdgetpuMachineRunner::make(loaded, std::move(data), compute, options.decoder);
}

}  // namespace edgetwin::twin
