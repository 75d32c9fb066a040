// A graph on the twin as a runner.
#include <chrono>

#include "decode/part.h"
#include "report/trace_io.h"
#include "twin/runners.h"
#include "twin/weights/graph_weights.h"

namespace edgetwin {

Runner::~Runner() = default;
Status Runner::reset() { return Ok{}; }

Weights* weights_of(Runner& runner) {
  auto* ported = dynamic_cast<twin::PortedRunner*>(&runner);
  return ported == nullptr ? nullptr : ported->weights();
}

namespace twin {
namespace {

class GraphRunner : public PortedRunner {
 public:
  GraphRunner(const LoadedModel& loaded, exec::Session session, const ComputeOptions& compute,
              const RunnerOptions& options, std::optional<PosenetAttrs> pose_options)
      : loaded_(loaded),
        compute_(compute),
        session_(std::move(session)),
        keep_layers_(options.keep_layers),
        progress_(options.progress),
        pose_options_(pose_options) {
    inputs_ = input_ports(*loaded_.model, session_);
    outputs_ = output_ports(*loaded_.model, session_);
    findings_ = loaded_.model->findings;
    const auto& planned = session_.findings();
    findings_.insert(findings_.end(), planned.begin(), planned.end());
  }

  Where where() const override { return Where::twin; }
  std::string numerics() const override { return session_.options().numerics; }
  std::string description() const override { return "twin, numerics " + numerics(); }

  Result<Run> run(std::span<const Tensor> inputs) override {
    EDGETWIN_TRY(check_inputs(inputs));
    for (size_t i = 0; i < inputs.size(); ++i) {
      EDGETWIN_TRY(session_.set_input(i, inputs[i].data));
    }
    EDGETWIN_TRY(session_.run(observer()));
    Run run;
    for (size_t i = 0; i < outputs_.size(); ++i) run.outputs.push_back(session_.output(i));
    if (keep_layers_) run.layers = layers_of(session_);
    run.findings = session_.run_findings();
    run.numerics = numerics();
    return run;
  }

  Status reset() override {
    session_.reset_variables();
    return Ok{};
  }
  DecoderView decoder_view() const override { return {&session_.graph(), pose_options_}; }
  Weights* weights() override {
    if (compute_.once) return nullptr;
    if (weights_ == nullptr) {
      weights_ =
          graph_weights(loaded_.model, [this](auto model) { return replan(std::move(model)); });
    }
    return weights_.get();
  }

 private:
  exec::Session::Observer observer() const {
    if (!progress_) return nullptr;
    return [this](size_t step, std::chrono::nanoseconds) {
      progress_(static_cast<double>(step + 1) / static_cast<double>(session_.steps().size()),
                session_.steps()[step].label);
    };
  }

  Status replan(std::shared_ptr<const Model> model) {
    LoadedModel changed = loaded_;
    changed.model = std::move(model);
    EDGETWIN_TRY_ASSIGN(session_, plan(changed, compute_, keep_layers_));
    return Ok{};
  }

  LoadedModel loaded_;
  ComputeOptions compute_;
  exec::Session session_;
  bool keep_layers_;
  ProgressSink progress_;
  std::optional<PosenetAttrs> pose_options_;
  std::unique_ptr<Weights> weights_;
};

}  // namespace

LoadedModel for_decoder(const LoadedModel& loaded, const std::string& decoder,
                        std::optional<PosenetAttrs>& pose_options) {
  std::optional<Graph> graph = decode::graph_with_maps(loaded.model->main(), decoder, pose_options);
  if (!graph) return loaded;
  Model model = *loaded.model;
  model.graphs.front() = std::move(*graph);
  LoadedModel changed = loaded;
  changed.model = std::make_shared<Model>(std::move(model));
  return changed;
}

Result<std::vector<Run>> PortedRunner::run_batch(std::span<const std::vector<Tensor>> inputs) {
  std::vector<Run> runs;
  for (const std::vector<Tensor>& one : inputs) {
    EDGETWIN_TRY_ASSIGN(Run run, this->run(one));
    runs.push_back(std::move(run));
  }
  return runs;
}

Status PortedRunner::check_inputs(std::span<const Tensor> given) const {
  if (given.size() != inputs_.size()) {
    return Error(ErrorCode::input_missing, "the network has " + std::to_string(inputs_.size()) +
                                               " inputs, and " + std::to_string(given.size()) +
                                               " tensors were given");
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const auto wanted =
        static_cast<size_t>(storage_bytes(inputs_[i].dtype, inputs_[i].shape.elements()));
    if (given[i].data.size() == wanted) continue;
    return Error(ErrorCode::input_shape, "input '" + inputs_[i].name + "' is " +
                                             to_string(inputs_[i].shape) + " " +
                                             std::string(edgetwin::name(inputs_[i].dtype)) + " = " +
                                             std::to_string(wanted) + " bytes; " +
                                             std::to_string(given[i].data.size()) + " were given");
  }
  return Ok{};
}

std::vector<LayerResult> layers_of(const exec::Session& session) {
  std::vector<LayerResult> layers;
  for (const report::TraceItem& item : report::trace_items(session)) {
    LayerResult l;
    l.type = item.op_type;
    l.index = item.op_index;
    l.value = item.value;
    l.tensor = session.tensor(item.value);
    l.layer = item.op_index < 0 ? item.op_type + " '" + l.tensor.name + "'"
                                : op_label(session.graph(), static_cast<size_t>(item.op_index));
    layers.push_back(std::move(l));
  }
  return layers;
}

exec::Options host_options(const ComputeOptions& compute) {
  exec::Options host;
  host.numerics = compute.numerics.empty() ? "tflite" : compute.numerics;
  host.threads = compute.threads;
  host.fast = !compute.plain;
  host.isa = compute.isa;
  return host;
}

Result<std::unique_ptr<Runner>> graph_runner(const LoadedModel& loaded,
                                             const ComputeOptions& compute,
                                             const RunnerOptions& options) {
  std::optional<PosenetAttrs> pose_options;
  const LoadedModel model = for_decoder(loaded, options.decoder, pose_options);
  EDGETWIN_TRY_ASSIGN(exec::Session session, plan(model, compute, options.keep_layers));
  return std::unique_ptr<Runner>(
      std::make_unique<GraphRunner>(model, std::move(session), compute, options, pose_options));
}

}  // namespace twin
}  // namespace edgetwin
