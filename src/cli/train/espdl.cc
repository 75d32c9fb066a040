// `train` of float networks for ESP-DL.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/interrupt.h"
#include "cli/train/arguments.h"
#include "cli/train/tuning_folder.h"
#include "train/rules/rules.h"
#include "train/settings/settings_files.h"
#include "train/tune/tune.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;

using GivenOption = std::pair<bool, const char*>;

Status refuse(std::initializer_list<GivenOption> options, const std::string& where) {
  for (const auto& [given, option] : options) {
    if (!given) continue;
    return Error(ErrorCode::usage, std::string(option) + " changes nothing " + where)
        .with_hint("Leave it out.");
  }
  return Ok{};
}

Status check_tuning(const TrainArguments& a, train::TuneMethod method) {
  EDGETWIN_TRY(refuse({{!a.batch_norm.empty(), "--batch-norm"},
                       {a.no_bias, "--no-bias"},
                       {a.use_bias, "--use-bias"},
                       {a.no_qat, "--disable-qat"},
                       {!a.policy.empty(), "--qat-policy"},
                       {a.weight_bits.has_value(), "--weight-bits"},
                       {a.quantile.has_value(), "--shift-quantile"},
                       {!a.init.empty(), "--init"},
                       {!a.settings.empty(), "--train"},
                       {!a.set.empty(), "--set"},
                       {!a.name.empty(), "--name"},
                       {a.sample.has_value(), "--save-sample"},
                       {a.no_events, "--no-tensorboard"},
                       {a.histograms, "--param-hist"},
                       {a.curves, "--pr-curves"},
                       {a.confusion, "--confusion"},
                       {a.print_every.has_value(), "--print-freq"},
                       {!a.train_accuracy.empty(), "--show-train-accuracy"},
                       {a.upstream_bugs, "--upstream-bugs"},
                       {a.average_rounding, "--avg-pool-rounding"},
                       {a.reset_optimizer, "--reset-optimizer"},
                       {a.dry_run, "--dry-run"}},
                      "for ESP-DL"));
  if (method == train::TuneMethod::qat) {
    return refuse(
        {{a.block_steps.has_value(), "--steps"}, {a.block_size.has_value(), "--block-size"}},
        "for the method qat");
  }
  return refuse({{a.epochs.has_value(), "--epochs"},
                 {!a.optimizer.empty(), "--optimizer"},
                 {a.momentum.has_value(), "--momentum"},
                 {a.decay.has_value(), "--wd"},
                 {a.patience.has_value(), "--patience"},
                 {!a.schedule.empty(), "--schedule"},
                 {a.qat_start.has_value(), "--qat-start"},
                 {a.train_exponents, "--train-exponents"},
                 {!a.resume.empty(), "--resume-from"}},
                "for a method by blocks");
}

Result<train::TuneMethod> tuning_method(const TrainArguments& a) {
  if (a.data.empty() && a.calibrate.empty()) {
    return Error(ErrorCode::usage, "tuning a network needs --data, or --calibrate without labels");
  }
  const bool labels = !a.data.empty();
  if (a.method == "qat" && !labels) {
    return train::broken(train::Rule::conflict,
                         "--method qat needs labels, and no --data is given");
  }
  if (a.method == "lsq") return train::TuneMethod::steps;
  if (a.method == "tqt") return train::TuneMethod::thresholds;
  return a.method == "adaround" || !labels ? train::TuneMethod::rounding : train::TuneMethod::qat;
}

Result<train::TuneSettings> tune_settings(const TrainArguments& a, train::TuneMethod method,
                                          Console& console) {
  train::TuneSettings s;
  s.method = method;
  s.epochs = a.epochs.value_or(s.epochs);
  s.qat_start = a.qat_start.value_or(0);
  if (s.qat_start > s.epochs) {
    return train::broken(train::Rule::conflict, "quantization would start in epoch " +
                                                    std::to_string(s.qat_start) +
                                                    ", and there are " + std::to_string(s.epochs));
  }
  s.batch = a.batch.value_or(s.batch);
  if (a.optimizer == "adam") s.optimizer.kind = train::OptimizerKind::adam;
  if (a.momentum && a.optimizer == "adam") {
    return train::broken(train::Rule::conflict, "--momentum is an option of sgd, not of adam");
  }
  s.optimizer.rate = a.rate.value_or(s.optimizer.rate);
  s.block_rate = a.rate;
  s.optimizer.momentum = a.momentum.value_or(s.optimizer.momentum);
  s.optimizer.weight_decay = a.decay.value_or(s.optimizer.weight_decay);
  if (!a.schedule.empty()) {
    EDGETWIN_TRY_ASSIGN(const Bytes text, read_file(a.schedule));
    EDGETWIN_TRY_ASSIGN(s.schedule, train::parse_schedule(std::string(as_text(text)), a.schedule));
  }
  s.seed = static_cast<uint64_t>(a.seed.value_or(0));
  s.threads = threads_of(a);
  s.patience = a.patience;
  s.train_exponents = a.train_exponents;
  s.block_steps = a.block_steps.value_or(0);
  s.block_size = a.block_size.value_or(s.block_size);
  s.stopped = stop_was_asked;
  s.progress = console.progress_sink();
  return s;
}

Result<twin::QuantizeRun> quantize_run(const TrainArguments& a, const Target& target,
                                       Console& console) {
  twin::QuantizeRun run = quantize_run_of(a, target, console);
  QuantizeOptions& o = run.options;
  o.bits = a.bits.value_or(o.bits);
  o.lut = a.lut;
  o.with = a.with;
  o.lut_step = a.lut_step;
  if (!a.runtime.empty()) o.runtime = a.runtime;
  for (const std::string& word : a.layer_bits) {
    const size_t at = word.rfind('=');
    int bits = 0;
    if (at == std::string::npos || at == 0 ||
        std::from_chars(word.data() + at + 1, word.data() + word.size(), bits).ptr !=
            word.data() + word.size() ||
        at + 1 == word.size()) {
      return Error(ErrorCode::usage, "--layer-bits takes NAME=8 or NAME=16, not '" + word + "'");
    }
    o.bits_of[word.substr(0, at)] = bits;
  }
  return run;
}

// Items that are spread over the training part.
Result<std::vector<quantize::Sample>> samples_of(const train::ItemSets& sets, const Graph& graph,
                                                 size_t wanted) {
  if (graph.inputs.size() != 1) {
    return Error(ErrorCode::usage, "a network of several inputs needs --calibrate");
  }
  const Value& in = graph.value(graph.inputs[0]);
  if (in.shape.elements() != static_cast<int64_t>(sets.train.size())) {
    return train::broken(train::Rule::data_shape,
                         "items have " + std::to_string(sets.train.size()) +
                             " numbers, the input '" + in.name + "' is " + to_string(in.shape));
  }
  std::vector<quantize::Sample> samples;
  const size_t count = std::min(wanted, sets.training.size());
  for (size_t i = 0; i < count; ++i) {
    train::Numbers numbers;
    sets.train.input(sets.training[i * sets.training.size() / count], numbers);
    Tensor t;
    t.name = in.name;
    t.dtype = DType::float32;
    t.shape = in.shape;
    const std::vector<float> values(numbers.begin(), numbers.end());
    t.data = to_bytes(std::as_bytes(std::span(values)));
    samples.push_back({std::move(t)});
  }
  return samples;
}

}  // namespace

Status refuse_tuning_options(const TrainArguments& a, const std::string& where, bool converted) {
  EDGETWIN_TRY(refuse({{!a.method.empty(), "--method"},
                       {a.bits.has_value(), "--bits"},
                       {!a.layer_bits.empty(), "--layer-bits"},
                       {!a.lut.empty(), "--lut"},
                       {!a.with.empty(), "--with"},
                       {a.lut_step.has_value(), "--step"},
                       {!a.runtime.empty(), "--runtime"},
                       {a.train_exponents, "--train-exponents"},
                       {a.block_steps.has_value(), "--steps"},
                       {a.block_size.has_value(), "--block-size"}},
                      where));
  if (converted) return Ok{};
  return refuse({{!a.calibrate.empty(), "--calibrate"},
                 {!a.mean.empty(), "--mean"},
                 {!a.std.empty(), "--std"},
                 {a.samples.has_value(), "--samples"}},
                where);
}

namespace {

// The trained network has the name of the given one.
Status check_place(const TrainArguments& a) {
  std::error_code failed;
  const fs::path beside = fs::absolute(a.network, failed).parent_path();
  if (!fs::equivalent(beside, a.output.path, failed)) return Ok{};
  return Error(ErrorCode::usage, "the trained network would replace " + a.network)
      .with_hint("Give another folder with -o.");
}

Result<std::optional<train::ItemSets>> items_of(const TrainArguments& a, uint64_t seed) {
  if (a.data.empty()) return std::optional<train::ItemSets>();
  train::DataOptions data;
  data.values = a.regression;
  set_data_options(a, data);
  train::InputScale scale;
  if (!a.mean.empty()) scale.mean = a.mean;
  if (!a.std.empty()) scale.deviation = a.std;
  EDGETWIN_TRY_ASSIGN(train::ItemSets sets,
                      train::read_items(a.data, data, scale, a.validation.value_or(0.1), seed));
  return std::optional<train::ItemSets>(std::move(sets));
}

Status take_up(const TrainArguments& a, train::TuneSettings& settings) {
  if (a.resume.empty()) return Ok{};
  EDGETWIN_TRY_ASSIGN(Bytes bytes, read_file(a.resume));
  EDGETWIN_TRY_ASSIGN(settings.resume, train::read_state(std::move(bytes), a.resume));
  if (settings.resume->quantized && settings.resume->epoch < settings.qat_start) {
    return train::broken(train::Rule::conflict, "the checkpoint has quantization in epoch " +
                                                    std::to_string(settings.resume->epoch) +
                                                    ", and --qat-start says from epoch " +
                                                    std::to_string(settings.qat_start));
  }
  return Ok{};
}

}  // namespace

Result<int> execute_tuning(const TrainArguments& a, const Target& target, Console& console) {
  EDGETWIN_TRY_ASSIGN(const train::TuneMethod method, tuning_method(a));
  EDGETWIN_TRY(check_tuning(a, method));
  EDGETWIN_TRY(check_place(a));
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY_ASSIGN(train::TuneSettings settings, tune_settings(a, method, console));
  EDGETWIN_TRY(take_up(a, settings));
  EDGETWIN_TRY_ASSIGN(const twin::QuantizeRun run, quantize_run(a, target, console));
  EDGETWIN_TRY_ASSIGN(const std::optional<train::ItemSets> sets, items_of(a, settings.seed));
  twin::OtherSamples others;
  if (sets) {
    others = [&](const Graph& graph) {
      return samples_of(*sets, graph, static_cast<size_t>(run.options.samples));
    };
  }
  EDGETWIN_TRY_ASSIGN(const twin::EspdlTask task, twin::espdl_task(run, others));
  TuningFolder folder(a, console);
  if (settings.resume) folder.take_up(settings.resume->log);
  settings.log = [&](const std::string& line) { folder.log(line); };
  settings.after_epoch = [&](const train::TuneResult& result, train::TuneState state) {
    return folder.after_epoch(result, std::move(state));
  };
  stop_gently();
  EDGETWIN_TRY_ASSIGN(
      quantize::Planned planned,
      quantize::plan_espdl(task.model.main(), task.samples, task.settings, run.progress));
  EDGETWIN_TRY_ASSIGN(
      train::TuneResult result,
      train::tune(std::move(planned), sets ? &*sets : nullptr, task.samples, settings));
  EDGETWIN_TRY(folder.end(run, task, result));
  return result.interrupted ? kStopped : kYes;
}

}  // namespace edgetwin::cli
