#include <filesystem>
#include <thread>

#include "cli/shared/exit_codes.h"
#include "cli/train/arguments.h"
#include "targets/max78/chip/limits.h"
#include "targets/target.h"
#include "train/rules/rules.h"
#include "train/run/run.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;

Status check_given(const TrainArguments& a) {
  for (const auto& [value, word] : {std::pair{&a.network, "NET"},
                                    {&a.target, "--target"},
                                    {&a.data, "--data"},
                                    {&a.output.path, "-o"}}) {
    if (!value->empty()) continue;
    return Error(ErrorCode::usage, std::string("training a network needs ") + word);
  }
  return Ok{};
}

Result<train::RunSettings> settings_of(const TrainArguments& a, Console& console) {
  train::RunSettings s;
  s.description = a.network;
  s.data = a.data;
  s.output = a.output.path;
  EDGETWIN_TRY_ASSIGN(const Target* chip, targets::require_target_for(a.target, "train"));
  s.device = *max78::device_by_name(chip->name);
  s.epochs = a.epochs.value_or(s.epochs);
  s.batch = a.batch.value_or(s.batch);
  s.optimizer.kind = a.optimizer == "adam" ? train::OptimizerKind::adam : train::OptimizerKind::sgd;
  if (a.momentum && a.optimizer == "adam") {
    return train::broken(train::Rule::conflict, "--momentum is an option of sgd, not of adam");
  }
  s.optimizer.rate = a.rate.value_or(s.optimizer.rate);
  s.optimizer.momentum = a.momentum.value_or(s.optimizer.momentum);
  s.optimizer.weight_decay = a.decay.value_or(s.optimizer.weight_decay);
  if (a.qat_start) s.qat_start = a.qat_start;
  if (a.no_qat) s.qat_start.reset();
  s.weight_bits = a.weight_bits;
  s.shift_quantile = static_cast<float>(a.quantile.value_or(1));
  s.bias = !a.no_bias;
  if (a.batch_norm == "affine") s.norm = train::NormKind::affine;
  if (a.batch_norm == "plain") s.norm = train::NormKind::plain;
  s.validation = a.validation.value_or(s.validation);
  s.seed = static_cast<uint64_t>(a.seed.value_or(0));
  s.threads = threads_of(a);
  s.resume = a.resume;
  s.init = a.init;
  s.log = [&console](const std::string& line) { console.print(line); };
  return s;
}

report::Json json_of(const train::RunResult& result) {
  report::Json epochs = report::Json::array();
  for (const train::EpochRow& r : result.epochs) {
    report::Json row = report::Json::object();
    row.set("epoch", r.epoch).set("phase", r.quantized ? "qat" : "float").set("lr", r.rate);
    row.set("train_loss", r.train_loss).set("train_top1", r.train_top1);
    row.set("val_loss", r.validation_loss).set("val_top1", r.validation_top1);
    epochs.push(std::move(row));
  }
  return epochs;
}

void report_run(const train::RunResult& result, const TrainArguments& a, Console& console) {
  report::Json test = report::Json::object();
  test.set("items", result.test.items).set("right", result.test.right);
  test.set("top1", result.test.top1()).set("loss", result.test.loss);
  console.json().set("epochs", json_of(result)).set("best_epoch", result.best_epoch);
  console.json().set("test", std::move(test)).set("files", report::Json::list(result.files));
  if (result.twin) {
    report::Json twin = report::Json::object();
    twin.set("items", result.twin->items).set("equal", result.twin->equal);
    console.json().set("twin", std::move(twin));
  }
  for (const std::string& file : result.files)
    console.print("wrote   " + a.output.path + "/" + file + "\n");
}

}  // namespace

int threads_of(const TrainArguments& a) {
  const auto processors = static_cast<int>(std::thread::hardware_concurrency());
  return a.threads.value_or(std::max(processors, 1));
}

Result<int> execute(const TrainArguments& a, Console& console) {
  if (!a.cases.empty()) return execute_cases(a, console);
  EDGETWIN_TRY(check_given(a));
  EDGETWIN_TRY_ASSIGN(const train::RunSettings settings, settings_of(a, console));
  std::error_code failed;
  if (a.output.overwrite == Overwrite::no && fs::exists(a.output.path, failed)) {
    return Error(ErrorCode::output_exists, "the output exists already").in_file(a.output.path);
  }
  fs::create_directories(a.output.path, failed);
  if (failed) {
    return Error(ErrorCode::file_write, "the folder cannot be made").in_file(a.output.path);
  }
  const auto result = train::train_network(settings);
  if (!result) {
    fs::remove(a.output.path, failed);  // only if nothing is in it
    return result.error();
  }
  report_run(*result, a, console);
  return kYes;
}

}  // namespace edgetwin::cli
