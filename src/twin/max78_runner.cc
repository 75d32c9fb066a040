// Networks of the MAX78000 and MAX78002 as runners: the numbers alone, or the register program.
#include "base/file.h"
#include "targets/max78/pipeline/run.h"
#include "targets/max78/place/region.h"
#include "targets/target.h"
#include "twin/max78_network.h"
#include "twin/max78_sample.h"
#include "twin/runners.h"

namespace edgetwin::twin {
namespace {

constexpr int kActivationExponent = -7;  // Q7: an activation of 1 is 2^-7

// Of files that cannot be used: the first error, and the others as its details.
Error unusable(const max78::Loading& loading) {
  std::optional<Error> first;
  for (const Finding& f : loading.findings) {
    if (f.severity != Severity::error) continue;
    if (first) {
      first->details.push_back(to_text(f.place) + ": " + line_text(f));
    } else {
      first = Error(find_error(f.id).value_or(ErrorCode::usage), f.message);
      first->place = f.place;
      first->details = f.details;
      first->hint = f.hint;
    }
  }
  return first.value_or(Error(ErrorCode::usage, "the network cannot be read"));
}

// The layer's own name, which files of traces get too.
std::string tensor_name(const max78::LoadedNetwork& network, int layer) {
  const std::string& own = network.network.layers[static_cast<size_t>(layer)].name;
  return own.empty() ? "layer_" + std::to_string(layer) : own;
}

LayerResult layer_of(const max78::LoadedNetwork& network, int layer, const char* part,
                     const Tensor& t) {
  LayerResult l;
  l.layer = max78::result_name(network, layer);
  l.type = "layer";
  l.index = layer;
  l.tensor = t;
  l.tensor.name = tensor_name(network, layer) + part;
  return l;
}

Run run_of(const max78::LoadedNetwork& network, max78::NetworkRun result, bool keep_layers) {
  Run run;
  run.numerics = max78::name(network.options.arithmetic);
  run.outputs = std::move(result.outputs);
  const std::vector<int> layers = max78::output_layers(network.plan());
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    run.outputs[i].name =
        i < layers.size() ? tensor_name(network, layers[i]) : "output_" + std::to_string(i);
  }
  if (!keep_layers) return run;
  for (const max78::LayerResult& l : result.layers) {
    if (!l.pool.data.empty()) run.layers.push_back(layer_of(network, l.layer, ".pool", l.pool));
    if (!l.elt.data.empty()) run.layers.push_back(layer_of(network, l.layer, ".elt", l.elt));
    run.layers.push_back(layer_of(network, l.layer, "", l.out));
  }
  return run;
}

class Max78Runner : public PortedRunner {
 public:
  Max78Runner(std::shared_ptr<const Max78Network> network, const RunnerOptions& options)
      : network_(std::move(network)), keep_layers_(options.keep_layers) {
    const max78::Plan& plan = network_->network->plan();
    const max78::SampleShape& s = plan.sample;
    Port input;
    input.name = "input";
    input.dtype = DType::int8;
    input.shape = Shape{s.c, s.h, s.w};
    input.quant = Quant::power_of_two(kActivationExponent);
    input.planes_first = true;
    inputs_ = {std::move(input)};
    findings_ = network_->findings;
  }

  std::string numerics() const override {
    return std::string(max78::name(network_->network->options.arithmetic));
  }

 protected:
  const max78::LoadedNetwork& loaded() const { return *network_->network; }
  std::shared_ptr<const Max78Network> network_;
  bool keep_layers_;
};

class Max78Twin : public Max78Runner {
 public:
  static Result<std::unique_ptr<Runner>> make(std::shared_ptr<const Max78Network> network,
                                              const RunnerOptions& options) {
    max78::SimulationOptions how;
    how.trace = options.keep_layers;
    how.plain = options.plain;
    how.threads = options.threads;
    EDGETWIN_TRY_ASSIGN(max78::Simulation simulation,
                        max78::Simulation::make(network->network->plan(), how));
    return std::unique_ptr<Runner>(
        std::make_unique<Max78Twin>(std::move(network), options, std::move(simulation)));
  }
  Max78Twin(std::shared_ptr<const Max78Network> network, const RunnerOptions& options,
            max78::Simulation simulation)
      : Max78Runner(std::move(network), options), simulation_(std::move(simulation)) {}

  Where where() const override { return Where::twin; }
  std::string description() const override { return "twin, numerics " + numerics(); }
  Result<Run> run(std::span<const Tensor> inputs) override {
    EDGETWIN_TRY(check_inputs(inputs));
    EDGETWIN_TRY_ASSIGN(max78::SimulationResult result, simulation_.run(inputs[0]));
    return run_of(loaded(), max78::run_of(loaded().plan(), std::move(result)), keep_layers_);
  }

 private:
  max78::Simulation simulation_;
};

class Max78MachineRunner : public Max78Runner {
 public:
  using Max78Runner::Max78Runner;

  Where where() const override { return Where::machine; }
  std::string description() const override { return "machine of the MAX7800x"; }
  Result<Run> run(std::span<const Tensor> inputs) override {
    EDGETWIN_TRY(check_inputs(inputs));
    EDGETWIN_TRY_ASSIGN(max78::MachineRun result, max78::run_machine(loaded(), inputs[0]));
    return run_of_machine(std::move(result));
  }

 protected:
  Run run_of_machine(max78::MachineRun result) const {
    std::vector<Finding> findings = std::move(result.findings);
    Run run = run_of(loaded(), std::move(result), keep_layers_);
    run.findings = std::move(findings);
    return run;
  }
};

// A register program that was given.
class Max78ProgramRunner : public Max78MachineRunner {
 public:
  Max78ProgramRunner(std::shared_ptr<const Max78Network> network, const RunnerOptions& options)
      : Max78MachineRunner(std::move(network), options) {
    inputs_.clear();
  }

  std::string description() const override {
    return "machine of the MAX7800x, register program " + network_->program->file;
  }
  Result<Run> run(std::span<const Tensor>) override {
    EDGETWIN_TRY_ASSIGN(max78::MachineRun result, max78::run_machine(loaded(), *network_->program));
    return run_of_machine(std::move(result));
  }
};

}  // namespace

Result<max78::NetworkSources> max78_sources(ByteSpan description, const std::string& name,
                                            const OpenOptions& options,
                                            std::optional<Finding>& note, bool makes_rtl) {
  EDGETWIN_TRY_ASSIGN(const Target* target,
                      targets::require_target(options.target, {Family::max78}));
  using max78::Source;
  max78::NetworkSources sources;
  sources.device = *max78::device_by_name(target->name);
  std::vector<std::string> words = options.options;
  if (!options.numerics.empty()) {
    words.insert(words.end(), {"--numerics", options.numerics});
  }
  EDGETWIN_TRY_ASSIGN(sources.options, max78::options_from(words));
  if (sources.options.rtl.on && !makes_rtl) {
    return Error(ErrorCode::usage, "--rtl and --rtl-preload change nothing here")
        .with_hint("They belong to `compile`.");
  }
  sources.description = Source::bytes(name, Bytes(description.begin(), description.end()));
  sources.checkpoint = Source::file(options.checkpoint);
  sources.weights = Source::file(options.weights);
  sources.bias = Source::file(options.bias);
  sources.sample = Source::file(options.sample);
  if (!options.input_shape.empty()) {
    EDGETWIN_TRY_ASSIGN(sources.shape, max78::read_shape(options.input_shape));
  }
  EDGETWIN_TRY(read_max78_sample(sources, note));
  return sources;
}

Result<Max78Network> open_max78(ByteSpan description, const std::string& name,
                                const OpenOptions& options, max78::SampleNeed need,
                                bool makes_rtl) {
  std::optional<Finding> note;
  EDGETWIN_TRY_ASSIGN(const max78::NetworkSources sources,
                      max78_sources(description, name, options, note, makes_rtl));
  max78::Loading loading = max78::load_network(sources, need);
  Max78Network result;
  const bool nothing_named = options.checkpoint.empty() && options.weights.empty();
  if (loading.failure && loading.step == max78::LoadStep::parameters && nothing_named) {
    result.failure = std::move(loading.failure);
  } else if (loading.failure) {
    return *loading.failure;
  }
  if (!result.failure && loading.network == nullptr) return unusable(loading);
  result.findings = loading.findings;
  if (note) result.findings.push_back(*note);
  result.fits = loading.ok();
  result.network = std::move(loading.network);
  return result;
}

Result<Max78Network> open_max78_program(ByteSpan text, const std::string& name,
                                        const OpenOptions& options) {
  EDGETWIN_TRY_ASSIGN(max78::ProgramText program, max78::read_program(as_text(text), name));
  if (options.network.empty()) {
    return Error(ErrorCode::usage, "the network of the register program is not named")
        .in_file(name)
        .with_hint(
            "Name its description: `verify NET.yaml PROGRAM` does; in C++ "
            "OpenOptions::network.");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes description, read_file(options.network));
  OpenOptions of_chip = options;
  of_chip.target = max78::name(program.device);
  EDGETWIN_TRY_ASSIGN(Max78Network network, open_max78(description, options.network, of_chip));
  network.program = std::move(program);
  return network;
}

Result<std::unique_ptr<Runner>> max78_runner(std::shared_ptr<const Max78Network> network,
                                             const RunnerOptions& options) {
  if (network->failure) return *network->failure;
  if (!network->fits) {
    Error error(ErrorCode::max78_rules, "the network does not fit its chip");
    for (const Finding& f : network->findings) {
      if (f.severity == Severity::error) error.details.push_back(f.id + ": " + f.message);
    }
    return error;
  }
  if (network->program) {
    if (options.where != Where::automatic && options.where != Where::machine) {
      return Error(ErrorCode::usage, "a register program computes in the machine only")
          .in_file(network->program->file);
    }
    return std::unique_ptr<Runner>(
        std::make_unique<Max78ProgramRunner>(std::move(network), options));
  }
  if (options.where == Where::machine) {
    return std::unique_ptr<Runner>(
        std::make_unique<Max78MachineRunner>(std::move(network), options));
  }
  return Max78Twin::make(std::move(network), options);
}

}  // namespace edgetwin::twin
