// Checkpoints of networks for the MAX78000 and MAX78002 on the data that they are trained with.
#include <algorithm>

#include "cli/evaluate/arguments.h"
#include "cli/shared/exit_codes.h"
#include "targets/max78/chip/limits.h"
#include "targets/max78/options/options.h"
#include "targets/target.h"
#include "train/judge/judge.h"
#include "train/settings/settings_files.h"

namespace edgetwin::cli {
namespace {

// The one option of the vendor's loader that counts here.
constexpr const char* kAverageRounding = "--avg-pool-rounding";

// They belong to other networks, or to --task.
Status check_trained(const EvaluateArguments& a) {
  const ComputeArguments& c = a.compute;
  const std::pair<bool, const char*> given[] = {
      {!a.pictures.empty(), "--pictures"},
      {!a.targets.empty(), "--targets"},
      {!a.labels.empty(), "--labels"},
      {a.label_offset.has_value(), "--label-offset"},
      {!a.resize.empty(), "--resize"},
      {!a.params.empty(), "--params"},
      {!a.decode.empty(), "--decode"},
      {a.threshold.has_value(), "--threshold"},
      {!a.shard.empty(), "--shard"},
      {!a.device.empty(), "--device"},
      {!a.reference.empty(), "--reference"},
      {a.shuffle != 0, "--shuffle"},
      {!c.isa.empty(), "--isa"},
      {c.plain, "--plain"},
      {!c.mean.empty(), "--mean"},
      {!c.std.empty(), "--std"},
      {!c.shapes.empty(), "--shape"},
      {c.runtime != ComputeArguments().runtime, "--runtime"},
      {!c.model.empty(), "--model"},
      {!c.key.empty(), "--key"},
      {!a.max78.weights.empty(), "--weights"},
      {!a.max78.bias.empty(), "--bias"},
      {!a.max78.sample.empty(), "--sample"},
      {!a.max78.shape.empty(), "--input-shape"},
      {c.wide, "--accumulators"},
      {c.allow_undefined, "--allow-undefined"}};
  for (const auto& [is_given, option] : given) {
    if (!is_given) continue;
    return Error(ErrorCode::usage, std::string(option) +
                                       " changes nothing for a checkpoint that is "
                                       "judged without --task");
  }
  for (const std::string& word : a.max78.options) {
    if (word == kAverageRounding) continue;
    return Error(ErrorCode::usage, "'" + word + "' is not known here");
  }
  if (a.max78.checkpoint.empty()) {
    return Error(ErrorCode::usage, "a network without --task needs --checkpoint");
  }
  if (a.compute.target.empty()) {
    return Error(ErrorCode::usage, "a network without --task needs --target");
  }
  return Ok{};
}

// Of the twin, where one is named.
Result<std::optional<max78::Arithmetic>> arithmetic_of(const EvaluateArguments& a) {
  const std::string& name = a.compute.numerics;
  const std::optional<max78::Arithmetic> named = max78::arithmetic_named(name);
  if (name.empty() || named) return named;
  const auto text = [](max78::Arithmetic arithmetic) {
    return std::string(max78::name(arithmetic));
  };
  return Error(ErrorCode::usage, "--numerics '" + name + "' is not one of this chip's")
      .with_hint("One of " + text(max78::Arithmetic::loader) + ", " +
                 text(max78::Arithmetic::document) + ", " + text(max78::Arithmetic::training) +
                 ".");
}

Result<train::JudgeSettings> settings_of(const EvaluateArguments& a) {
  train::JudgeSettings s;
  EDGETWIN_TRY(train::find_settings(a.models[0], a.settings, s.run));
  EDGETWIN_TRY_ASSIGN(const Target* chip, targets::require_target_for(a.compute.target, "train"));
  s.run.device = *max78::device_by_name(chip->name);
  s.run.description = a.models[0];
  s.run.data = a.data;
  s.run.init = a.max78.checkpoint;
  s.run.class_weights.clear();
  if (s.run.loss.kind == train::LossKind::distillation) s.run.loss = {};
  if (a.regression) s.run.loss.kind = train::LossKind::mse;
  s.run.threads = std::max(1, a.compute.threads);
  s.integers = a.integers;
  const auto& words = a.max78.options;
  s.average_rounding = std::find(words.begin(), words.end(), kAverageRounding) != words.end();
  EDGETWIN_TRY_ASSIGN(s.arithmetic, arithmetic_of(a));
  s.limit = a.limit;
  s.attribution = a.attribution;
  s.onnx = !a.onnx.empty();
  if (a.split == "train") s.part = train::JudgedPart::training;
  if (a.split == "val") s.part = train::JudgedPart::validation;
  return s;
}

void print_confusion(const train::Evaluation& e, Console& console) {
  console.print("==> Confusion:\n");
  for (const auto& row : e.confusion) {
    std::string line;
    for (const int64_t n : row) {
      char cell[24];
      std::snprintf(cell, sizeof cell, "%7lld", static_cast<long long>(n));
      line += cell;
    }
    console.print(line + "\n");
  }
}

Status write_outputs(const EvaluateArguments& a, const train::Judged& judged,
                     const std::string& command, std::optional<AtomicFolder>& folder) {
  if (folder) {
    EDGETWIN_TRY_ASSIGN(const auto files, train::judged_files(judged));
    for (const auto& [name, bytes] : files) EDGETWIN_TRY(folder->write(name, bytes));
    EDGETWIN_TRY(folder->commit());
  }
  if (!a.onnx.empty()) EDGETWIN_TRY(a.onnx.write(judged.onnx));
  if (!a.report.empty()) {
    const std::string title = a.models[0] + " with " + a.max78.checkpoint;
    EDGETWIN_TRY(a.report.write(train::judged_page(judged, title, command)));
  }
  if (a.save_csv.empty()) return Ok{};
  if (!judged.evaluation.classes || judged.data.kind != train::TargetKind::classes) {
    return Error(ErrorCode::usage, "--save-csv needs one class an item");
  }
  for (const auto& [name, text] : train::projection_tables(judged)) {
    Output one = a.save_csv;
    one.path += "_" + name;
    EDGETWIN_TRY(one.write(text));
  }
  return Ok{};
}

}  // namespace

bool is_trained(const EvaluateArguments& a) {
  const auto is_description = [](const std::string& file) {
    return file.ends_with(".yaml") || file.ends_with(".yml");
  };
  return a.task.empty() && a.models.size() == 1 && is_description(a.models[0]);
}

Result<int> execute_trained(const EvaluateArguments& a, Console& console) {
  EDGETWIN_TRY(check_trained(a));
  EDGETWIN_TRY_ASSIGN(const train::JudgeSettings settings, settings_of(a));
  if (a.attribution > 0 && a.output.empty()) {
    return Error(ErrorCode::usage, "--attribution needs -o for its pictures");
  }
  EDGETWIN_TRY(a.onnx.check());
  EDGETWIN_TRY(a.report.check());
  std::optional<AtomicFolder> folder;
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder made, a.output.folder());
    folder.emplace(std::move(made));
  }
  EDGETWIN_TRY_ASSIGN(const train::Judged judged, train::judge(settings));
  const train::Evaluation& e = judged.evaluation;
  if (a.at_least && !e.classes) {
    return Error(ErrorCode::usage, std::string("--at-least needs classes: this network gives ") +
                                       (e.detects ? "objects" : "numbers"));
  }
  if (judged.quantized_here)
    console.note("the checkpoint was quantized by the rules of `quantize`");
  if (judged.phase == train::JudgedPhase::integers && !a.integers) {
    console.note("the checkpoint has the chip's integers: the twin computes them");
  }
  for (const std::string& layer : judged.inexact) {
    Finding f;
    f.severity = Severity::warning;
    f.message = "sums of the layer '" + layer +
                "' can be beyond 2^24: readers of the ONNX file that compute in "
                "binary32 may round them";
    console.finding(f);
  }
  console.print("--- " + std::string(a.split.empty() ? "test" : a.split) + " (" +
                std::string(train::phase_name(judged.phase)) + ", " + std::to_string(e.items) +
                " items) ---\n");
  console.print("==> " + train::score_text(e, judged.data.kind) + "\n");
  if (a.confusion && e.classes) print_confusion(e, console);
  EDGETWIN_TRY(write_outputs(a, judged, console.command_line(), folder));
  EDGETWIN_TRY_ASSIGN(const report::Json document,
                      report::Json::parse(train::judged_json(judged), "evaluation"));
  console.json().set("result", document);
  return a.at_least && e.top1() < *a.at_least ? kNo : kYes;
}

}  // namespace edgetwin::cli
