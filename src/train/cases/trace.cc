// Six steps of a small network: two float epochs of one batch, start of quantization, two of two.
#include "base/file.h"
#include "formats/ai8x/read_yaml.h"
#include "train/cases/kinds.h"
#include "train/cases/known.h"
#include "train/losses/losses.h"
#include "train/network/description.h"
#include "train/network/parameters.h"
#include "train/optim/optimizer.h"
#include "train/optim/schedule.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

constexpr std::array<int, 6> kEpochOfStep = {0, 1, 2, 2, 3, 3};
constexpr int kQuantizedEpoch = 2;
constexpr size_t kFirstQuantizedStep = 2;

// The network of the recorded runs, or the description that the entry names.
Result<ai8x::Network> description_of(const CaseEntry& entry, const std::filesystem::path& folder) {
  const std::string file = entry.text("network", "");
  if (file.empty()) {
    return ai8x::read_network(kTraceNetwork, "the network of the recorded runs",
                              ai8x::Device::max78000);
  }
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(folder / file));
  return ai8x::read_network(as_text(data), file, ai8x::Device::max78000);
}

// Output channels and kinds of batch norm are those of the start values.
Result<Model> model_of(const CaseEntry& entry, const std::filesystem::path& folder,
                       const CaseArrays& in, const MapShape& input) {
  EDGETWIN_TRY_ASSIGN(const ai8x::Network description, description_of(entry, folder));
  BuildOptions options;
  options.input = input;
  for (const ai8x::Layer& layer : description.layers) {
    if (!layer.takes_weights()) continue;
    const std::string name =
        layer.name.empty() ? "layer" + std::to_string(layer.sequence) : layer.name;
    const std::string start = "init/" + name;
    EDGETWIN_TRY_ASSIGN(const Tensor* w, in.get(start + ".op.weight"));
    const bool transposed = layer.op == ai8x::Operator::conv_transpose2d;
    if (w->shape.rank() < 2) {
      return broken(Rule::recorded_case, "weights have two axes and more").in_field(name);
    }
    options.out_channels.push_back(static_cast<int>(w->shape[transposed ? 1 : 0]));
    if (in.find(start + ".bn.running_mean") == nullptr) continue;
    options.norms[name] =
        in.find(start + ".bn.weight") != nullptr ? NormKind::affine : NormKind::plain;
  }
  Model model;
  EDGETWIN_TRY_ASSIGN(model.network, build_network(description, options));
  initialize(model, 0);
  const Json overrides = entry.json.get("overrides").value_or(Json::object());
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    LayerQuantization& q = model.quantization[i];
    const auto own = overrides.get_integer(model.network.layers[i].name);
    q.bits = static_cast<int>(own.value_or(entry.integer("weight_bits", 8)));
    q.quantile = static_cast<float>(entry.number("shift_quantile", 1));
    q.rule = QuantileRule::older;
  }
  return model;
}

Status load_start(Model& model, const CaseArrays& in) {
  std::optional<Error> failed;
  for_each_parameter(model, nullptr, [&](const ParameterRef& p) {
    const auto values = in.floats("init/" + p.name);
    if (!values || values->size() != p.values->size()) {
      failed = broken(Rule::recorded_case, "the start values do not fit").in_field(p.name);
    } else {
      *p.values = *values;
    }
  });
  if (failed) return *failed;
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    if (!model.parameters[i].norm) continue;
    BatchNorm& norm = *model.parameters[i].norm;
    const std::string prefix = "init/" + model.network.layers[i].name + ".bn.";
    EDGETWIN_TRY_ASSIGN(norm.mean, in.floats(prefix + "running_mean"));
    EDGETWIN_TRY_ASSIGN(norm.variance, in.floats(prefix + "running_var"));
    EDGETWIN_TRY_ASSIGN(const auto seen, in.integers(prefix + "num_batches_tracked"));
    const auto channels = static_cast<size_t>(model.network.layers[i].spec.out_channels());
    if (seen.empty() || norm.mean.size() != channels || norm.variance.size() != channels) {
      return broken(Rule::recorded_case, "the start values do not fit").in_field(prefix);
    }
    norm.batches = seen[0];
  }
  return Ok{};
}

// All parameters, and the running values of batch norm.
void add_state(Model& model, const std::string& prefix, CaseResults& results) {
  for_each_parameter(model, nullptr, [&](const ParameterRef& p) {
    results.add(prefix + p.name, p.shape, std::span<const float>(*p.values));
  });
  for (size_t i = 0; i < model.parameters.size(); ++i) {
    if (!model.parameters[i].norm) continue;
    const BatchNorm& norm = *model.parameters[i].norm;
    const std::string name = prefix + model.network.layers[i].name + ".bn.";
    const Shape channels = {static_cast<int64_t>(norm.mean.size())};
    const auto batches = static_cast<int32_t>(norm.batches);
    results.add(name + "running_mean", channels, std::span<const float>(norm.mean));
    results.add(name + "running_var", channels, std::span<const float>(norm.variance));
    results.add(name + "num_batches_tracked", DType::int64, {}, std::span(&batches, 1));
  }
}

class Trace {
 public:
  Trace(const CaseEntry& entry, Model model, ThreadPool& pool)
      : model_(std::move(model)), optimizer_(options_of(entry)), pool_(pool) {
    base_ = optimizer_.options().rate;
    schedule_.gamma = entry.number("gamma", 0.1);
    const Json milestones = entry.json.get("milestones").value_or(Json::array());
    for (size_t i = 0; i < milestones.size(); ++i) {
      schedule_.milestones.push_back(static_cast<int>(milestones.at(i).as_integer().value_or(0)));
    }
  }

  void step(size_t number, const Maps& input, std::span<const int64_t> targets) {
    const int epoch = kEpochOfStep[number];
    if (epoch == kQuantizedEpoch && !model_.quantized) {
      start_quantization(model_);
      add_state(model_, "after_fold/", results);
    }
    optimizer_.set_rate(rate_after(schedule_, base_, epoch));
    rates_.push_back(optimizer_.options().rate);
    Recording recording;
    forward(model_, input, true, recording, pool_);
    Loss loss = cross_entropy(recording.outputs.back(), targets);
    losses_.push_back(static_cast<float>(loss.value));
    std::vector<std::pair<size_t, Maps>> gradients;
    gradients.emplace_back(recording.outputs.size() - 1, std::move(loss.gradient));
    const auto own = backward(model_, recording, std::move(gradients), pool_);
    const bool recorded = number == 0 || number == kFirstQuantizedStep;
    for_each_parameter(model_, &own, [&](const ParameterRef& p) {
      if (recorded) {
        results.add("grad" + std::to_string(number) + "/" + p.name, p.shape,
                    std::span<const float>(*p.gradient));
      }
      optimizer_.step(p.name, *p.values, *p.gradient);
    });
    add_state(model_, "step" + std::to_string(number + 1) + "/", results);
  }

  void finish(const Maps& last) {
    Recording recording;
    forward(model_, last, false, recording, pool_);
    results.add("eval_float_y", recording.outputs.back(), 2);
    const Shape steps = {static_cast<int64_t>(losses_.size())};
    results.add("loss", steps, std::span<const float>(losses_));
    results.add("lr", steps, std::span<const double>(rates_));
  }

  CaseResults results;

 private:
  static OptimizerOptions options_of(const CaseEntry& entry) {
    return {
        .kind = entry.text("optimizer", "SGD") == "Adam" ? OptimizerKind::adam : OptimizerKind::sgd,
        .rate = entry.number("lr", 0.1),
        .momentum = entry.number("momentum", 0.9),
        .epsilon = entry.number("eps", 1e-8),
        .weight_decay = entry.number("weight_decay", 1e-4)};
  }

  Model model_;
  Optimizer optimizer_;
  ThreadPool& pool_;
  Scheduler schedule_;
  double base_ = 0;
  std::vector<float> losses_;
  std::vector<double> rates_;
};

}  // namespace

Result<CaseResults> compute_trace(const CaseEntry& entry, const CaseArrays& in,
                                  const std::filesystem::path& folder, ThreadPool& pool) {
  EDGETWIN_TRY_ASSIGN(const Tensor* x, in.get("x"));
  EDGETWIN_TRY_ASSIGN(const std::vector<int64_t> targets, in.integers("target"));
  const Shape& s = x->shape;
  if (s.rank() != 5 || s[0] != static_cast<int64_t>(kEpochOfStep.size()) ||
      static_cast<int64_t>(targets.size()) != s[0] * s[1]) {
    return broken(Rule::recorded_case, "x and target do not have six batches");
  }
  const MapShape input{static_cast<int>(s[2]), {static_cast<int>(s[3]), static_cast<int>(s[4])}};
  EDGETWIN_TRY_ASSIGN(Model model, model_of(entry, folder, in, input));
  EDGETWIN_TRY(load_start(model, in));
  Trace trace(entry, std::move(model), pool);
  const std::vector<float> values = float_values(*x);
  const auto items = static_cast<size_t>(s[1]);
  const size_t size = items * static_cast<size_t>(input.elements());
  Maps batch;
  for (size_t i = 0; i < kEpochOfStep.size(); ++i) {
    batch = from_planes(std::span(values).subspan(i * size, size), static_cast<int>(items), input);
    trace.step(i, batch, std::span(targets).subspan(i * items, items));
  }
  trace.finish(batch);
  return std::move(trace.results);
}

}  // namespace edgetwin::train
