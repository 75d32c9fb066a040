#include "twin/espdl_choice.h"

#include <algorithm>
#include <charconv>

#include "ops/registry/numerics.h"
#include "targets/espdl/export/test_values.h"
#include "targets/target.h"

namespace edgetwin::twin {
namespace {

// "model_esp32p4.espdl" and ".../p4/model.espdl" name a chip.
std::optional<espdl::Target> target_of_path(const std::string& path) {
  std::optional<espdl::Target> found;
  std::string word;
  for (const char c : path + "/") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    const auto target = espdl::target_by_name(word);
    // A lone "c" is the weakest of these words.
    if (target && (word != "c" || !found)) found = target;
    word.clear();
  }
  return found;
}

// Weights in another order than the target's would be taken for others.
Status check_order(espdl::Target target, const espdl::TargetEvidence& evidence,
                   const std::string& file) {
  const bool vector = target != espdl::Target::c;
  if (!evidence.blocks || *evidence.blocks == vector) return Ok{};
  const std::string made = *evidence.blocks ? "in the blocks of a vector unit" : "in plain order";
  return Error(ErrorCode::espdl_target, "the file's weights are " + made +
                                            ", so that it is not for " +
                                            std::string(espdl::name(target)))
      .in_file(file)
      .with_hint(
          *evidence.blocks
              ? "Name a chip with a vector unit; --accumulators wide computes as plain C does."
              : "Name " + std::string(espdl::name(espdl::Target::c)) +
                    ", or export the model for the chip.");
}

std::vector<Finding> contradiction(espdl::Target target, const espdl::TargetEvidence& evidence) {
  if (!evidence.target || *evidence.target == target) return {};
  return {{Severity::warning, "", "",
           evidence.why + ", the command line names " + std::string(espdl::name(target)), ""}};
}

}  // namespace

Result<espdl::Target> named_target(const std::string& name) {
  if (const auto target = espdl::target_by_name(name)) return espdl::Target{*target};
  return Error(ErrorCode::usage, "there is no target '" + name + "' for an .espdl file")
      .with_hint("Known are " + targets::target_names({Family::espdl}, " and ") + ".");
}

Result<ChosenTarget> choose_target(const espdl::Document& document, const std::string& file,
                                   const LoadOptions& options) {
  const espdl::TargetEvidence evidence = espdl::target_evidence(document);
  if (!options.target.empty()) {
    EDGETWIN_TRY_ASSIGN(const espdl::Target target, named_target(options.target));
    EDGETWIN_TRY(check_order(target, evidence, file));
    return ChosenTarget{target, "named on the command line", contradiction(target, evidence)};
  }
  if (evidence.target) return ChosenTarget{*evidence.target, evidence.why, {}};
  if (options.any_target) return ChosenTarget{espdl::Target::esp32s3, evidence.why, {}};
  const auto tested = targets::espdl::target_by_test(document);  // fails without test values
  if (tested.ok() && *tested) {
    return ChosenTarget{**tested, "only its rounding gives the embedded test outputs", {}};
  }
  if (const auto named = target_of_path(file)) {
    const std::string name(espdl::name(*named));
    Finding f{Severity::warning, "", "", evidence.why + "; its path names " + name,
              "Say --target " + name + " to be sure."};
    return ChosenTarget{*named, "its path names " + name, {std::move(f)}};
  }
  return Error(ErrorCode::espdl_target, evidence.why).in_file(file);
}

namespace {

// A network of TensorFlow Lite is for each chip that takes such files.
std::string numerics_of_tflite(const std::string& target) {
  const Target* named = find_target(target);
  const bool taken = named != nullptr && targets::takes(*named, ".tflite");
  return taken ? std::string(named->numerics) : "tflite";
}

}  // namespace

Result<std::string> choose_numerics(const LoadedModel& loaded, const ComputeOptions& compute) {
  if (!compute.numerics.empty()) return compute.numerics;
  if (loaded.model->format == "onnx") return std::string("onnx");
  if (loaded.target.empty()) return numerics_of_tflite(compute.target);
  const std::string chip(find_target(loaded.target)->numerics);
  const std::string wide = chip + "-wide";  // the chips without lanes have no such row
  return compute.wide && ops::find_numerics(wide) != nullptr ? wide : chip;
}

Result<int> runtime_version(const std::string& text) {
  int parts[3] = {0, 0, 0};
  const char* at = text.data();
  const char* end = at + text.size();
  for (int i = 0; i < 3; ++i) {
    const auto parsed = std::from_chars(at, end, parts[i]);
    const bool last = i == 2;
    const bool good = parsed.ec == std::errc() && parts[i] >= 0 && parts[i] < 100 &&
                      (last ? parsed.ptr == end : parsed.ptr != end && *parsed.ptr == '.');
    if (!good) {
      return Error(ErrorCode::usage, "'" + text + "' is no version of ESP-DL such as 3.3.9");
    }
    at = parsed.ptr + 1;
  }
  const int version = parts[0] * 10000 + parts[1] * 100 + parts[2];
  if (version >= 30100) return version;
  return Error(ErrorCode::usage, "ESP-DL " + text +
                                     " reads another kind of bias; 3.1.0 is the "
                                     "first version that this program knows");
}

LoadOptions load_options(const ComputeOptions& compute) {
  LoadOptions options{compute.target, compute.model, compute.key, false, compute.shapes};
  if (!options.target.empty()) return options;
  for (const Target& t : all_targets()) {  // "espdl-p4-wide" is of the same chip
    if (t.family == Family::espdl && compute.numerics.starts_with(t.numerics))
      options.target = t.name;
  }
  return options;
}

}  // namespace edgetwin::twin
