// ONNX networks for the MAX78000 and MAX78002: converted as `quantize` does it, then trained.
#include <algorithm>
#include <filesystem>

#include "cli/shared/exit_codes.h"
#include "cli/train/arguments.h"
#include "train/data/data.h"
#include "train/rules/rules.h"
#include "train/settings/settings.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::cli {
namespace {

// What the description says of a converted network is not for the command line to say.
Status check_converted(const TrainArguments& a) {
  for (const auto& [given, option] : {std::pair{!a.batch_norm.empty(), "--batch-norm"},
                                      {a.no_bias, "--no-bias"},
                                      {a.use_bias, "--use-bias"},
                                      {!a.init.empty(), "--init"}}) {
    if (!given) continue;
    return Error(ErrorCode::usage, std::string(option) +
                                       " changes nothing for an ONNX network: its weights, biases "
                                       "and folded batch norm are what training begins with")
        .with_hint("Leave it out.");
  }
  return Ok{};
}

float number_at(const std::vector<float>& list, size_t channel) {
  return list.size() == 1 ? list[0] : list[channel];
}

// Training items, spread over the part, as the float network reads them.
Result<std::vector<quantize::Sample>> calibration_items(const train::DataSet& set,
                                                        const twin::QuantizeRun& run,
                                                        const Graph& graph) {
  if (graph.inputs.size() != 1) {
    return Error(ErrorCode::usage, "a network of several inputs needs --calibrate");
  }
  const Value& in = graph.value(graph.inputs[0]);
  const train::PictureSize size = set.input();
  const auto plane = static_cast<size_t>(size.height) * static_cast<size_t>(size.width);
  const size_t numbers = plane * static_cast<size_t>(size.channels);
  if (in.shape.elements() != static_cast<int64_t>(numbers)) {
    return train::broken(train::Rule::data_shape, "items have " + std::to_string(numbers) +
                                                      " numbers, the input '" + in.name + "' is " +
                                                      to_string(in.shape));
  }
  const size_t count = std::min(static_cast<size_t>(run.options.samples), set.items());
  std::vector<quantize::Sample> samples;
  for (size_t i = 0; i < count; ++i) {
    Tensor t;
    t.name = in.name;
    t.dtype = DType::float32;
    t.shape = in.shape;
    t.data.resize(numbers * sizeof(float));
    const std::vector<int8_t> levels = set.levels(i * set.items() / count);
    const auto to = t.as<float>();
    for (size_t k = 0; k < levels.size(); ++k) {
      const float byte = static_cast<float>(levels[k]) + 128.0F;
      to[k] =
          (byte - number_at(run.options.mean, k / plane)) / number_at(run.options.std, k / plane);
    }
    samples.push_back({std::move(t)});
  }
  return samples;
}

twin::QuantizeRun conversion_run(const TrainArguments& a, const Target& target, Console& console) {
  twin::QuantizeRun run = quantize_run_of(a, target, console);
  for (std::vector<float>* list : {&run.options.mean, &run.options.std}) {
    if (list->empty()) *list = {128};  // bytes from -1 to 1
  }
  return run;
}

Status check_scale_lists(const twin::QuantizeRun& run, const train::DataSet& set) {
  const auto channels = static_cast<size_t>(set.input().channels);
  for (const auto* list : {&run.options.mean, &run.options.std}) {
    if (list->size() == 1 || list->size() == channels) continue;
    return train::broken(train::Rule::setting,
                         std::to_string(list->size()) +
                             " numbers for the mean or deviation of items with " +
                             std::to_string(channels) + " channels");
  }
  return Ok{};
}

}  // namespace

bool is_onnx(const TrainArguments& a) {
  return std::filesystem::path(a.network).extension() == ".onnx";
}

Result<std::optional<int>> convert_network(const TrainArguments& a, const Target& target,
                                           train::RunSettings& settings, Console& console) {
  EDGETWIN_TRY(check_converted(a));
  const twin::QuantizeRun run = conversion_run(a, target, console);
  const auto items = [&](const Graph& graph) -> Result<std::vector<quantize::Sample>> {
    train::DataOptions options = settings.data_options;
    options.values = settings.loss.kind == train::LossKind::mse;
    EDGETWIN_TRY_ASSIGN(const train::Data data, train::read_data(settings.data, options));
    EDGETWIN_TRY(check_scale_lists(run, data.train));
    return calibration_items(data.train, run, graph);
  };
  EDGETWIN_TRY_ASSIGN(twin::Max78Trainable made, twin::trainable_for_max78(run, items));
  if (!made.network) {
    int exit_code = kNo;
    for (const Error& e : made.misfits) exit_code = console.error(e);
    return std::optional<int>(exit_code);
  }
  settings.description = std::filesystem::path(settings.output) / "network.yaml";
  settings.description_text = std::move(made.network->yaml);
  settings.initial = std::move(made.network->checkpoint);
  return std::optional<int>();
}

}  // namespace edgetwin::cli
