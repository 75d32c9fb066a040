#include "edgetwin/compare_chips.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/file.h"
#include "base/parallel.h"
#include "targets/target.h"
#include "twin/compare/answers.h"
#include "twin/compare/chip.h"
#include "twin/compare/journal.h"
#include "twin/load.h"
#include "twin/make/quantize_parts.h"

namespace edgetwin {
namespace {

Result<std::vector<std::string>> chips_of(const std::vector<std::string>& wanted) {
  std::vector<std::string> all;
  const bool every = wanted.empty() || std::ranges::find(wanted, "all") != wanted.end();
  if (!every) {
    for (const std::string& name : wanted) {
      EDGETWIN_TRY_ASSIGN(const Target* target, targets::require_target_for(name, "estimate"));
      if (std::ranges::find(all, target->name) == all.end()) all.emplace_back(target->name);
    }
    return all;
  }
  for (const Target& t : all_targets()) {
    if (lacks(t, "estimate").empty()) all.emplace_back(t.name);
  }
  return all;
}

// What is wrong with the network or the samples is wrong for every chip. Where calibration data are
// arrays, mean and std are those of the data set alone. Errors: those of reading.
Status check_inputs(const std::string& network, CompareChipsOptions& options) {
  twin::LoadOptions how;
  how.shapes = options.quantize.shapes;
  EDGETWIN_TRY_ASSIGN(const twin::LoadedModel loaded, twin::load_model(network, how));
  const auto samples_can_be_read = [&]() -> Status {
    const twin::QuantizeRun run{network, options.quantize, nullptr, [](const Finding&) {}};
    EDGETWIN_TRY(twin::read_samples(run, loaded.model->main()));
    return Ok{};
  };
  const Status first = samples_can_be_read();
  if (first.ok() || first.error().code != ErrorCode::usage || !options.evaluate) return first;
  options.quantize.mean.clear();
  options.quantize.std.clear();
  return samples_can_be_read();
}

// Chips side by side, each once; what is finished is in the journal.
Status compare_all(const std::string& network, const CompareChipsOptions& options,
                   const ProgressSink& progress, twin::ComparisonJournal& journal,
                   std::vector<ComparedChip>& chips) {
  std::atomic<int> done = 0;
  std::mutex mutex;
  std::optional<Error> failed;
  ThreadPool pool(std::max(1, options.threads));
  pool.parallel_for(static_cast<int64_t>(chips.size()), 1, [&](int64_t begin, int64_t end, int w) {
    for (int64_t i = begin; i < end; ++i) {
      ComparedChip& chip = chips[static_cast<size_t>(i)];
      if (const ComparedChip* before = journal.find(chip.target); before != nullptr) {
        chip = *before;
      } else {
        chip = twin::compare_on(network, chip.target, options);
        const Status kept = journal.add(chip);
        const std::lock_guard lock(mutex);
        if (!kept.ok() && !failed) failed = kept.error();
      }
      const int count = ++done;
      if (progress && w == 0)
        progress(static_cast<double>(count) / static_cast<double>(chips.size()), chip.target);
    }
  });
  if (failed) return std::move(*failed);
  return Ok{};
}

}  // namespace

Result<ComparedNetwork> compare_chips(const std::string& network, const CompareChipsOptions& wanted,
                                      const ProgressSink& progress) {
  CompareChipsOptions options = wanted;
  EDGETWIN_TRY_ASSIGN(const std::vector<std::string> chips, chips_of(options.targets));
  if (options.quantize.calibrate.empty()) {
    return Error(ErrorCode::usage, "no calibration data is named")
        .with_hint("Add --calibrate SAMPLES, as `quantize` takes it.");
  }
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(network));
  if (file_kind(data) != FileKind::onnx) {
    return Error(ErrorCode::file_kind, "a comparison of chips begins with a float network")
        .in_file(network)
        .with_hint("Give an .onnx file; `estimate` takes files that are made for one chip.");
  }
  EDGETWIN_TRY(check_inputs(network, options));
  if (options.evaluate) {  // said, so that integers come in by their scale and not as pixels
    if (options.evaluate->mean.empty()) options.evaluate->mean = {0.0F};
    if (options.evaluate->std.empty()) options.evaluate->std = {255.0F};
  }
  const std::string identity =
      options.journal.empty() ? "" : twin::comparison_identity(data, options);
  EDGETWIN_TRY_ASSIGN(twin::ComparisonJournal journal,
                      twin::ComparisonJournal::open(options.journal, identity));
  ComparedNetwork result;
  result.file = network;
  for (const std::string& chip : chips) {
    result.chips.emplace_back().target = chip;
    result.resumed += journal.find(chip) != nullptr ? 1 : 0;
  }
  std::optional<twin::Answers> real;
  if (options.evaluate) {
    Candidate candidate;
    candidate.file = network;
    candidate.open.shapes = options.quantize.shapes;
    EDGETWIN_TRY_ASSIGN(real, twin::answers_of(candidate, options, "float32"));
    result.accuracy = real->accuracy;
    result.class_names = real->class_names;
  }
  EDGETWIN_TRY(compare_all(network, options, progress, journal, result.chips));
  if (real) result.parted = twin::parted_samples(*real, result.chips);
  return result;
}

}  // namespace edgetwin
