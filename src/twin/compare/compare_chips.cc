#include "edgetwin/compare_chips.h"

#include <algorithm>
#include <atomic>

#include "base/file.h"
#include "base/parallel.h"
#include "targets/target.h"
#include "twin/compare/accuracy.h"
#include "twin/compare/chip.h"

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

}  // namespace

Result<ComparedNetwork> compare_chips(const std::string& network,
                                      const CompareChipsOptions& options,
                                      const ProgressSink& progress) {
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
  ComparedNetwork result;
  result.file = network;
  result.chips.resize(chips.size());
  if (options.evaluate) {
    Candidate real;
    real.file = network;
    real.open.shapes = options.quantize.shapes;
    EDGETWIN_TRY_ASSIGN(result.accuracy, twin::accuracy_of(real, *options.evaluate));
  }
  std::atomic<int> done = 0;
  ThreadPool pool(std::max(1, options.threads));
  pool.parallel_for(static_cast<int64_t>(chips.size()), 1, [&](int64_t begin, int64_t end, int w) {
    for (int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<size_t>(i);
      result.chips[at] = twin::compare_on(network, chips[at], options);
      const int count = ++done;
      if (progress && w == 0)
        progress(static_cast<double>(count) / static_cast<double>(chips.size()), chips[at]);
    }
  });
  return result;
}

}  // namespace edgetwin
