#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "base/parallel.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/interrupt.h"
#include "cli/train/arguments.h"
#include "targets/max78/chip/limits.h"
#include "targets/target.h"
#include "train/engine/memory.h"
#include "train/rules/rules.h"
#include "train/run/run.h"
#include "train/run/summary.h"
#include "train/settings/settings_files.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;

Status check_given(const TrainArguments& a) {
  if (a.dry_run && !a.output.empty()) {
    return Error(ErrorCode::usage, "-o changes nothing beside --dry-run");
  }
  for (const auto& [value, word] :
       {std::pair{&a.network, "NET"}, {&a.target, "--target"}, {&a.output.path, "-o"}}) {
    if (!value->empty() || (a.dry_run && value == &a.output.path)) continue;
    return Error(ErrorCode::usage, std::string("training a network needs ") + word);
  }
  return Ok{};
}

Result<std::string> text_of(const std::string& file) {
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(file));
  return std::string(as_text(bytes));
}

// The settings file, then the files that the command line names, which override it.
Status read_files(const TrainArguments& a, train::RunSettings& s) {
  EDGETWIN_TRY(train::find_settings(a.network, a.settings, s));
  for (const std::string& one : a.set) EDGETWIN_TRY(train::apply_setting(one, s));
  if (!a.schedule.empty()) {
    EDGETWIN_TRY_ASSIGN(const std::string text, text_of(a.schedule));
    EDGETWIN_TRY_ASSIGN(s.schedule, train::parse_schedule(text, a.schedule));
  }
  if (a.policy == "none") {
    s.qat_start.reset();
  } else if (!a.policy.empty()) {
    EDGETWIN_TRY_ASSIGN(const std::string text, text_of(a.policy));
    EDGETWIN_TRY(train::apply_policy(text, a.policy, s));
  }
  return Ok{};
}

Result<train::RunSettings> settings_of(const TrainArguments& a, Console& console) {
  train::RunSettings s;
  s.description = a.network;
  EDGETWIN_TRY(read_files(a, s));
  if (!a.data.empty()) s.data = a.data;
  if (s.data.empty()) return Error(ErrorCode::usage, "training a network needs --data");
  s.output = a.output.path;
  EDGETWIN_TRY_ASSIGN(const Target* chip, targets::require_target_for(a.target, "train"));
  s.device = *max78::device_by_name(chip->name);
  s.epochs = a.epochs.value_or(s.epochs);
  s.batch = a.batch.value_or(s.batch);
  if (!a.optimizer.empty()) {
    s.optimizer.kind =
        a.optimizer == "adam" ? train::OptimizerKind::adam : train::OptimizerKind::sgd;
  }
  if (a.momentum && s.optimizer.kind == train::OptimizerKind::adam) {
    return train::broken(train::Rule::conflict, "--momentum is an option of sgd, not of adam");
  }
  s.optimizer.rate = a.rate.value_or(s.optimizer.rate);
  s.optimizer.momentum = a.momentum.value_or(s.optimizer.momentum);
  s.optimizer.weight_decay = a.decay.value_or(s.optimizer.weight_decay);
  if (a.policy == "none" && a.qat_start) {
    return train::broken(train::Rule::conflict,
                         "--qat-policy none and --qat-start contradict each other");
  }
  if (a.qat_start) s.qat_start = a.qat_start;
  if (a.no_qat) s.qat_start.reset();
  if (a.weight_bits) s.weight_bits = a.weight_bits;
  s.shift_quantile = static_cast<float>(a.quantile.value_or(s.shift_quantile));
  if (a.no_bias) s.bias = false;
  if (a.use_bias) s.bias = true;
  if (a.regression) s.loss.kind = train::LossKind::mse;
  if (a.average_rounding) s.average_rounding = true;
  s.older_quantile = a.upstream_bugs;
  s.reset_optimizer = a.reset_optimizer;
  s.name = a.name;
  s.sample = a.sample.value_or(0);
  if (a.batch_norm == "none") s.norm = train::NormKind::none;
  if (a.batch_norm == "affine") s.norm = train::NormKind::affine;
  if (a.batch_norm == "plain") s.norm = train::NormKind::plain;
  if (a.validation) s.validation = a.validation;
  if (a.seed) s.seed = static_cast<uint64_t>(*a.seed);
  if (a.patience) s.patience = a.patience;
  s.events = !a.no_events;
  s.histograms = a.histograms;
  s.curves = a.curves;
  s.confusion = a.confusion;
  if (a.print_every) s.print_every = *a.print_every;
  s.last_batch_accuracy = a.train_accuracy == "last_batch";
  set_data_options(a, s.data_options);
  s.threads = threads_of(a);
  s.resume = a.resume;
  s.init = a.init;
  s.command = console.command_line();
  s.stopped = stop_was_asked;
  s.progress = [&console](double fraction, const std::string& line) {
    console.progress(fraction, line);
  };
  if (!console.options().quiet) {
    s.log = [&console](const std::string& line) { console.print(line); };
  }
  return s;
}

report::Json json_of(const train::RunResult& result) {
  report::Json epochs = report::Json::array();
  for (const train::EpochRow& r : result.epochs) {
    report::Json row = report::Json::object();
    row.set("epoch", r.epoch).set("phase", r.quantized ? "qat" : "float").set("lr", r.rate);
    row.set("train_loss", r.train_loss).set("val_loss", r.validation_loss);
    if (r.train_top1) row.set("train_top1", *r.train_top1);
    if (r.validation_top1) row.set("val_top1", *r.validation_top1);
    if (r.validation_map) row.set("val_map", *r.validation_map);
    if (r.validation_top5) row.set("val_top5", *r.validation_top5);
    row.set("seconds", r.seconds);
    row.set("images_per_s", r.items_per_second);
    epochs.push(std::move(row));
  }
  return epochs;
}

void report_run(const train::RunResult& result, const TrainArguments& a, Console& console) {
  report::Json test = report::Json::object();
  test.set("items", result.test.items).set("loss", result.test.loss);
  if (result.test.classes) {
    test.set("right", result.test.right).set("top1", result.test.top1());
  } else if (result.test.detects) {
    test.set("map", result.test.map().mean).set("map50", result.test.map().half);
  } else {
    test.set("mse", result.test.loss);
  }
  if (result.test.has_top5()) test.set("top5", result.test.top5());
  console.json().set("epochs", json_of(result)).set("best_epoch", result.best_epoch);
  if (!result.interrupted) console.json().set("test", std::move(test));
  console.json().set("files", report::Json::list(result.files));
  if (result.twin) {
    report::Json twin = report::Json::object();
    twin.set("items", result.twin->items).set("equal", result.twin->equal);
    console.json().set("twin", std::move(twin));
  }
  if (console.options().quiet) return;
  for (const std::string& file : result.files)
    console.print("wrote   " + a.output.path + "/" + file + "\n");
}

void note_vendor(const TrainArguments& a, Console& console) {
  for (const auto& [given, option] : {std::pair{!a.gpus.empty(), "--gpus"},
                                      {!a.workers.empty(), "--workers"},
                                      {!a.compiler_mode.empty(), "--compiler-mode"},
                                      {!a.compiler_backend.empty(), "--compiler-backend"},
                                      {a.deterministic, "--deterministic"}}) {
    if (!given) continue;
    Finding f;
    f.severity = Severity::warning;
    f.message = std::string(option) + " changes nothing: it is of the vendor's program";
    console.finding(f);
  }
}

std::string time_text(double seconds, int epochs) {
  char text[96];
  if (seconds * epochs < 1) {
    std::snprintf(text, sizeof text, "less than a second for %d epochs on one thread\n", epochs);
  } else {
    std::snprintf(text, sizeof text, "about %.1f s an epoch on one thread, %.0f s for %d\n",
                  seconds, seconds * epochs, epochs);
  }
  return text;
}

Result<int> dry_run(const train::RunSettings& settings, Console& console) {
  EDGETWIN_TRY_ASSIGN(const train::Setup setup, train::set_up(settings));
  const double seconds = train::estimated_seconds(setup);
  console.print(setup.summary + train::layers_text(setup.model) +
                time_text(seconds, settings.epochs));
  console.json().set("seconds_an_epoch", seconds);
  console.json().set("products", setup.model.network.products());
  console.json().set("training_items", setup.training.size());
  console.json().set("validation_items", setup.validation.size());
  console.json().set("test_items", setup.data.test.items());
  return kYes;
}

}  // namespace

twin::QuantizeRun quantize_run_of(const TrainArguments& a, const Target& target, Console& console) {
  twin::QuantizeRun run;
  run.file = a.network;
  run.noticed = [&console](const Finding& f) { console.finding(f); };
  QuantizeOptions& o = run.options;
  o.target = target.name;
  o.calibrate = a.calibrate;
  o.mean = a.mean;
  o.std = a.std;
  o.samples = a.samples.value_or(o.samples);
  o.threads = threads_of(a);
  return run;
}

void set_data_options(const TrainArguments& a, train::DataOptions& data) {
  if (!a.format.empty()) data.format = a.format;
  data.window = a.window.value_or(data.window);
  data.hop = a.hop.value_or(data.hop);
}

int threads_of(const TrainArguments& a) { return a.threads.value_or(processors()); }

Result<int> execute(const TrainArguments& a, Console& console) {
  if (!a.cases.empty()) return execute_cases(a, console);
  train::keep_freed_memory();  // each step needs the same maps
  EDGETWIN_TRY(check_given(a));
  EDGETWIN_TRY_ASSIGN(const Target* target, targets::require_target_for(a.target, "train"));
  note_vendor(a, console);
  if (target->family == Family::espdl) return execute_tuning(a, *target, console);
  EDGETWIN_TRY(refuse_tuning_options(a, "for the MAX78000 and MAX78002", is_onnx(a)));
  EDGETWIN_TRY_ASSIGN(train::RunSettings settings, settings_of(a, console));
  if (is_onnx(a)) {
    EDGETWIN_TRY_ASSIGN(const std::optional<int> refused,
                        convert_network(a, *target, settings, console));
    if (refused) return *refused;
  }
  if (a.dry_run) return dry_run(settings, console);
  std::error_code failed;
  if (a.output.overwrite == Overwrite::no && fs::exists(a.output.path, failed)) {
    return Error(ErrorCode::output_exists, "the output exists already").in_file(a.output.path);
  }
  fs::create_directories(a.output.path, failed);
  if (failed) {
    return Error(ErrorCode::file_write, "the folder cannot be made").in_file(a.output.path);
  }
  stop_gently();
  const auto result = train::train_network(settings);
  if (!result) {
    fs::remove(a.output.path, failed);  // only if nothing is in it
    return result.error();
  }
  report_run(*result, a, console);
  return result->interrupted ? kStopped : kYes;
}

}  // namespace edgetwin::cli
