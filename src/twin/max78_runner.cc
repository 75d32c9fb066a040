// Networks of the MAX78000 and MAX78002 as runners: the numbers alone, or the register program.
#include <array>
#include <charconv>

#include "targets/max78/pipeline/run.h"
#include "targets/target.h"
#include "twin/max78_network.h"
#include "twin/runners.h"

namespace edgetwin::twin {
namespace {

constexpr int kActivationExponent = -7;  // Q7: an activation of 1 is 2^-7

Finding finding_of(const max78::Notice& notice) {
  const Error& e = notice.error;
  Finding f;
  f.severity = notice.severity;
  f.id = std::string(e.id());
  f.place = e.place.file;
  if (e.place.line) f.place += ":" + std::to_string(*e.place.line);
  if (!e.place.layer.empty()) f.place += ", " + e.place.layer;
  f.message = e.message;
  for (const std::string& detail : e.details) f.message += "; " + detail;
  f.hint = e.hint;
  return f;
}

// "3x32x32": channels, rows, columns; sizes that are missing at the end are 1.
Result<max78::SampleShape> shape_of_text(const std::string& text) {
  std::array<int, 3> sizes = {0, 1, 1};
  size_t n = 0;
  for (size_t at = 0; at <= text.size(); ++n) {
    const size_t end = std::min(text.find('x', at), text.size());
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
    if (n == 3 || error != std::errc() || stop != text.data() + end || value < 1 || value > 4096) {
      return Error(ErrorCode::usage, "the input's shape cannot be '" + text + "'")
          .with_hint("Channels, rows and columns with x between them: 3x32x32.");
    }
    sizes[n] = value;
    at = end + 1;
  }
  return max78::SampleShape{sizes[0], sizes[1], sizes[2]};
}

LayerResult layer_of(const max78::LoadedNetwork& network, int layer, const char* part,
                     const Tensor& t) {
  LayerResult l;
  l.layer = max78::result_name(network, layer);
  l.type = "layer";
  l.index = layer;
  l.tensor = t;
  l.tensor.name = l.layer + part;
  return l;
}

Run run_of(const max78::LoadedNetwork& network, max78::NetworkRun result, bool keep_layers) {
  Run run;
  run.outputs = std::move(result.outputs);
  for (size_t i = 0; i < run.outputs.size(); ++i) {
    if (run.outputs[i].name.empty()) run.outputs[i].name = "output_" + std::to_string(i);
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
    std::vector<Finding> noticed;
    for (const max78::MachineFinding& f : result.findings) {
      Finding finding;
      finding.severity = f.severity;
      finding.id = std::string(f.id);
      finding.message = f.message;
      noticed.push_back(std::move(finding));
    }
    Run run = run_of(loaded(), std::move(result), keep_layers_);
    run.findings = std::move(noticed);
    return run;
  }
};

}  // namespace

Result<Max78Network> open_max78(ByteSpan description, const std::string& name,
                                const OpenOptions& options, max78::SampleNeed need) {
  EDGETWIN_TRY_ASSIGN(const Target* target,
                      targets::require_target(options.target, {Family::max78}));
  using max78::Source;
  max78::NetworkSources sources;
  sources.device = *max78::device_by_name(target->name);
  EDGETWIN_TRY_ASSIGN(sources.options, max78::options_from(options.options));
  sources.description = Source::bytes(name, Bytes(description.begin(), description.end()));
  sources.checkpoint = Source::file(options.checkpoint);
  sources.weights = Source::file(options.weights);
  sources.bias = Source::file(options.bias);
  sources.sample = Source::file(options.sample);
  if (!options.input_shape.empty() && options.sample.empty()) {
    EDGETWIN_TRY_ASSIGN(sources.shape, shape_of_text(options.input_shape));
  }
  max78::Loading loading = max78::load_network(sources, need);
  if (loading.failure) return *loading.failure;
  Max78Network result;
  for (const max78::Notice& n : loading.notices) result.findings.push_back(finding_of(n));
  result.fits = loading.ok();
  result.network = std::move(loading.network);
  return result;
}

Result<std::unique_ptr<Runner>> max78_runner(std::shared_ptr<const Max78Network> network,
                                             const RunnerOptions& options) {
  if (!network->fits) {
    Error error(ErrorCode::max78_rules, "the network does not fit its chip");
    for (const Finding& f : network->findings) {
      if (f.severity == Severity::error) error.details.push_back(f.id + ": " + f.message);
    }
    return error;
  }
  if (options.where == Where::machine) {
    return std::unique_ptr<Runner>(
        std::make_unique<Max78MachineRunner>(std::move(network), options));
  }
  return Max78Twin::make(std::move(network), options);
}

}  // namespace edgetwin::twin
