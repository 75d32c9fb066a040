#include "targets/max78/pipeline/load.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/rng.h"
#include "formats/ai8x/read_yaml.h"
#include "formats/ai8x/sample.h"
#include "formats/torch/checkpoint.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/network/resolve.h"
#include "targets/max78/pipeline/stand_in.h"
#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {
namespace {

SampleShape shape_of(const Tensor& t) {
  const auto size = [&](int axis) {
    return t.shape.rank() > axis ? static_cast<int>(t.shape[axis]) : 1;
  };
  return {size(0), size(1), size(2)};
}

class Loader {
 public:
  Loader(const NetworkSources& sources, SampleNeed need) : sources_(sources), need_(need) {}

  Loading run() {
    const Status done = steps();
    if (!done.ok()) loading_.failure = done.error();
    return std::move(loading_);
  }

 private:
  Status steps() {
    network_->options = sources_.options;
    EDGETWIN_TRY(read_description());
    if (has_errors(loading_.findings)) return Ok{};
    EDGETWIN_TRY_ASSIGN(weights_seed_, seed_of(sources_.weights.name()));
    const bool named = sources_.checkpoint.given() || sources_.weights.given();
    loading_.stands_in = weights_seed_.has_value() || (!named && sources_.weightless);
    SampleShape shape;
    if (loading_.stands_in) {
      EDGETWIN_TRY_ASSIGN(shape, stand_in());
    } else {
      EDGETWIN_TRY_ASSIGN(shape, read_all());
    }
    if (shape.c > 0) loading_.shape = shape;
    if (has_errors(loading_.findings) || network_->parameters.layers.empty()) return Ok{};
    loading_.step = LoadStep::plan;
    if (sources_.plan && !fill_in(shape)) return Ok{};
    network_->planning =
        make_plan(network_->network, network_->parameters, shape, network_->options);
    note(network_->planning.findings);
    loading_.network = std::move(network_);
    return Ok{};
  }

  // Maps, offsets and gaps. False: sizes or structure do not allow any.
  bool fill_in(const SampleShape& shape) {
    Findings found;
    PlanSettings settings;
    settings.objective = sources_.objective;
    const ai8x::Network written = network_->network;
    Planned planned = plan_network(network_->network, network_->parameters, shape,
                                   network_->options, found, settings);
    note(found);
    network_->description = complete_description(text_, network_->network, planned);
    const bool fits = planned.fits;
    forget_order(written, planned);
    if (!fits && !has_errors(found)) {
      Error e(ErrorCode::max78_rules, "no plan was found in " + std::to_string(planned.attempts) +
                                          (planned.attempts == 1 ? " placement" : " placements"));
      e.place.file = sources_.description.name();
      e.details = planned.violations;
      if (e.details.size() > 4) e.details.resize(4);
      e.hint = changes_that_fit(network_->network, network_->parameters, shape, network_->options);
      if (e.hint.empty()) {
        e.hint = "Fewer channels, weights of fewer bits or a smaller input need less memory.";
      }
      loading_.findings.push_back(finding_of(e, Severity::error));
    }
    network_->planned = std::move(planned);
    return fits;
  }

  // Weights that do not suit the layer before say nothing of a layer that reads another one.
  void forget_order(const ai8x::Network& written, const Planned& planned) {
    for (size_t i = 0; i < planned.layers.size(); ++i) {
      if (!planned.layers[i].in_sequences) continue;
      const size_t at = planned.order.empty() ? i : static_cast<size_t>(planned.order[i]);
      std::erase_if(loading_.findings, [&](const Finding& f) {
        return f.id == info(ErrorCode::ai8x_order).id &&
               f.place.layer == ai8x::layer_name(written, at);
      });
    }
  }

  // Parameters, then the input, whose size they may tell.
  Result<SampleShape> read_all() {
    loading_.step = LoadStep::parameters;
    EDGETWIN_TRY_ASSIGN(ai8x::ParameterReading reading,
                        read_parameters(sources_, network_->network));
    note(findings_of(reading.report, sources_.options.warn_zero));
    if (has_errors(loading_.findings) || !reading.parameters) return SampleShape{};
    network_->parameters = std::move(*reading.parameters);
    apply_to(network_->parameters, network_->options);
    loading_.step = LoadStep::input;
    return read_input();
  }

  // The input, then parameters that suit it.
  Result<SampleShape> stand_in() {
    loading_.step = LoadStep::input;
    const int start = network_->options.start_layer;
    EDGETWIN_TRY_ASSIGN(const auto bias_seed, seed_of(sources_.bias.name()));
    if (sources_.bias.given() && !bias_seed) {
      return Error(ErrorCode::usage, "biases of a file do not go with pseudo-random weights")
          .with_hint("Give --bias xs32:SEED, or leave it out.");
    }
    network_->parameters.layers.resize(network_->network.layers.size());
    if (static_cast<size_t>(start) < network_->parameters.layers.size()) {
      network_->parameters.layers[static_cast<size_t>(start)].in_channels =
          first_channels(network_->network, start);
    }
    EDGETWIN_TRY_ASSIGN(const SampleShape shape, read_input());
    loading_.step = LoadStep::plan;
    Findings found;
    StandIn made = stand_in_parameters(network_->network, shape, network_->options,
                                       weights_seed_.value_or(1), bias_seed.has_value(), found);
    network_->parameters = std::move(made.parameters);
    apply_to(network_->parameters, network_->options);
    loading_.assumed = std::move(made.assumed);
    note(found);
    return shape;
  }

  void note(const std::vector<Finding>& findings) {
    loading_.findings.insert(loading_.findings.end(), findings.begin(), findings.end());
  }

  Status read_description() {
    EDGETWIN_TRY_ASSIGN(const Bytes yaml, sources_.description.read());
    ai8x::NetworkReading reading =
        ai8x::read_network_report(as_text(yaml), sources_.description.name(), sources_.device,
                                  sources_.plan ? ai8x::Maps::planned : ai8x::Maps::needed);
    if (sources_.plan) text_ = std::string(as_text(yaml));
    note(findings_of(reading.report, true));
    if (!reading.network) return Ok{};
    network_->network = std::move(*reading.network);
    apply_to(network_->network, network_->options);
    return Ok{};
  }

  // Numbers where they were given; the size in any case.
  Result<SampleShape> read_input() {
    EDGETWIN_TRY_ASSIGN(std::optional<uint32_t> seed, seed_of(sources_.sample.name()));
    if (!seed) seed = sources_.sample_seed;
    if (sources_.sample.given() && !seed) {
      EDGETWIN_TRY_ASSIGN(const Bytes data, sources_.sample.read());
      EDGETWIN_TRY_ASSIGN(network_->sample, ai8x::read_sample(data, sources_.sample.name()));
      network_->frame = sources_.frame;
      if (sources_.options.reshape_inputs) drop_channels();
      EDGETWIN_TRY(synthesize(network_->sample, network_->options));
      return shape_of(network_->sample);
    }
    if (need_ == SampleNeed::numbers && !seed) {
      return Error(ErrorCode::input_missing,
                   "the network's sample was not given, and with it the size of its input")
          .with_hint(
              "Add --sample FILE: an .npy of (channels, rows, columns), a picture or a .wav; "
              "or --sample xs32:SEED.");
    }
    EDGETWIN_TRY_ASSIGN(const SampleShape shape, known_shape());
    if (seed) network_->sample = generated_input(shape, *seed);
    return shape;
  }

  // --reshape-inputs: of every operand the first in_channel_skip channels, and those beyond what
  // the first layer reads.
  void drop_channels() {
    const auto first = static_cast<size_t>(network_->options.start_layer);
    if (first >= network_->network.layers.size()) return;
    const ai8x::Layer& l = network_->network.layers[first];
    Tensor& t = network_->sample;
    const auto operands = static_cast<int64_t>(std::max(l.operands, 1));
    const int64_t have = t.shape[0] / operands, skip = l.in_channel_skip;
    int64_t wanted = l.in_channels.value_or(network_->parameters.layers[first].in_channels);
    wanted = std::min(wanted, have - skip);
    if (wanted < 1 || (wanted == have && skip == 0)) return;
    const int64_t plane = t.shape[1] * t.shape[2];
    Bytes kept;
    for (int64_t o = 0; o < operands; ++o) {
      const auto* begin = t.data.data() + (o * have + skip) * plane;
      kept.insert(kept.end(), begin, begin + wanted * plane);
    }
    t.data.assign(kept.begin(), kept.end());
    t.shape = {wanted * operands, t.shape[1], t.shape[2]};
  }

  Result<SampleShape> known_shape() const {
    if (sources_.shape) return *sources_.shape;
    const auto stated =
        stated_shape(network_->network, network_->parameters, network_->options.start_layer);
    if (stated) return *stated;
    const auto first = static_cast<size_t>(network_->options.start_layer);
    if (sources_.picture && first < network_->parameters.layers.size()) {
      const int channels = network_->parameters.layers[first].in_channels;
      return SampleShape{channels, sources_.picture->first, sources_.picture->second};
    }
    return Error(ErrorCode::input_missing, "the size of the network's input is not known")
        .in_file(sources_.description.name())
        .with_hint("Add --input-shape CxHxW, --sample FILE, or in_dim to the first layer.");
  }

  const NetworkSources& sources_;
  SampleNeed need_;
  std::optional<uint32_t> weights_seed_;
  std::string text_;  // of the description, where it is planned
  Loading loading_;
  std::unique_ptr<LoadedNetwork> network_ = std::make_unique<LoadedNetwork>();
};

}  // namespace

bool Loading::ok() const { return network != nullptr && !failure && !has_errors(findings); }

Loading load_network(const NetworkSources& sources, SampleNeed need) {
  return Loader(sources, need).run();
}

Result<ai8x::ParameterReading> read_parameters(const NetworkSources& s,
                                               const ai8x::Network& network) {
  if (s.checkpoint.given()) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, s.checkpoint.read());
    EDGETWIN_TRY_ASSIGN(const torch::Checkpoint checkpoint,
                        torch::Checkpoint::read(data, s.checkpoint.name()));
    return ai8x::read_checkpoint(network, checkpoint, s.options.parameters);
  }
  if (!s.weights.given()) {
    return Error(ErrorCode::usage, "the network's weights are missing")
        .with_hint(
            "Add --checkpoint FILE, or --weights FILE and perhaps --bias FILE; "
            "--weights xs32:SEED are pseudo-random ones.");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes weights, s.weights.read());
  Bytes bias;
  if (s.bias.given()) {
    EDGETWIN_TRY_ASSIGN(bias, s.bias.read());
  }
  return ai8x::read_arrays(network, weights, s.weights.name(), bias, s.bias.name(),
                           s.options.parameters);
}

std::vector<Finding> findings_of(const ai8x::Report& report, bool warn_zero) {
  std::vector<Finding> findings = report.findings;
  if (!warn_zero) {
    std::erase_if(findings, [](const Finding& f) { return f.id == info(ErrorCode::ai8x_zero).id; });
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return findings;
}

Result<std::optional<uint32_t>> seed_of(const std::string& word) {
  constexpr std::string_view kGenerator = "xs32:";
  if (!word.starts_with(kGenerator)) return std::optional<uint32_t>{};
  uint32_t seed = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data() + kGenerator.size(), end, seed);
  if (error != std::errc() || stop != end || seed == 0) {
    return Error(ErrorCode::usage, "'" + word + "' has no seed from 1 to 4294967295")
        .with_hint("Give a number: xs32:1.");
  }
  return std::optional<uint32_t>{seed};
}

Result<SampleShape> read_shape(const std::string& text) {
  std::array<int, 3> sizes = {0, 1, 1};
  size_t n = 0;
  for (size_t at = 0; at <= text.size(); ++n) {
    const size_t end = std::min(text.find('x', at), text.size());
    int value = 0;
    const char* const begin = text.data() + at;
    const auto [stop, error] = std::from_chars(begin, text.data() + end, value);
    if (n == 3 || error != std::errc() || stop != text.data() + end || value < 1 || value > 4096) {
      return Error(ErrorCode::usage, "the input's shape cannot be '" + text + "'")
          .with_hint("Channels, rows and columns with x between them: 3x32x32.");
    }
    sizes[n] = value;
    at = end + 1;
  }
  return SampleShape{sizes[0], sizes[1], sizes[2]};
}

Tensor generated_input(const SampleShape& shape, uint32_t seed) {
  Tensor t;
  t.dtype = DType::int8;
  t.shape = {shape.c, shape.h, shape.w};
  t.data.resize(static_cast<size_t>(t.shape.elements()));
  XorShift32 random(seed);
  for (std::byte& b : t.data) b = static_cast<std::byte>(random.byte());
  return t;
}

}  // namespace edgetwin::max78
