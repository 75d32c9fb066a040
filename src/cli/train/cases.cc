#include <filesystem>
#include <map>

#include "cli/shared/exit_codes.h"
#include "cli/train/arguments.h"
#include "tensor/npy.h"
#include "train/cases/compare.h"
#include "train/cases/entry.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;

// What became of the cases of one list.
struct Counts {
  int cases = 0, computed = 0, equal = 0;
};

class CaseRun {
 public:
  CaseRun(const TrainArguments& a, Console& console, fs::path folder)
      : a_(a), console_(console), folder_(std::move(folder)), pool_(threads_of(a)) {}

  Status one(const train::CaseEntry& entry, AtomicFolder* output) {
    Counts& counts = lists_[entry.list];
    ++counts.cases;
    const auto results = compute(entry);
    if (!results) {
      Error error = results.error();
      error.details.push_back("case: " + entry.id);
      console_.error(error);
      return Ok{};
    }
    ++counts.computed;
    if (!a_.compare || differences_ == before_) ++counts.equal;
    if (output == nullptr) return Ok{};
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, write_npz(results->tensors()));
    return output->write(entry.file, bytes);
  }

  int finish() {
    Counts all;
    report::Json lists = report::Json::object();
    for (const auto& [list, counts] : lists_) {
      print(list, counts);
      lists.set(list, json_of(counts));
      all.cases += counts.cases;
      all.computed += counts.computed;
      all.equal += counts.equal;
    }
    print("all", all);
    console_.json().set("lists", std::move(lists)).set("all", json_of(all));
    return all.computed == all.cases && all.equal == all.cases ? kYes : kNo;
  }

 private:
  Result<train::CaseResults> compute(const train::CaseEntry& entry) {
    before_ = differences_;
    EDGETWIN_TRY_ASSIGN(const train::CaseArrays arrays,
                        train::CaseArrays::read(folder_ / entry.file));
    EDGETWIN_TRY_ASSIGN(train::CaseResults results,
                        train::compute_case(entry, arrays, folder_, pool_));
    if (a_.compare) compare(entry, arrays, results);
    return results;
  }

  void compare(const train::CaseEntry& entry, const train::CaseArrays& arrays,
               const train::CaseResults& results) {
    for (const train::ArrayComparison& row : train::compare_case(entry, arrays, results)) {
      if (row.equal) continue;
      ++differences_;
      console_.print("differs  " + entry.id + "  " + row.name + "  " +
                     (row.remark.empty() ? std::to_string(row.distance) + ", tolerance " +
                                               std::to_string(row.tolerance)
                                         : row.remark) +
                     "\n");
    }
  }

  void print(const std::string& list, const Counts& counts) const {
    const std::string of = " of " + std::to_string(counts.cases);
    std::string line = list + ": " + std::to_string(counts.computed) + of + " computed";
    if (a_.compare) line += ", " + std::to_string(counts.equal) + of + " equal";
    console_.print(line + "\n");
  }

  report::Json json_of(const Counts& counts) const {
    report::Json json = report::Json::object();
    json.set("cases", counts.cases).set("computed", counts.computed);
    if (a_.compare) json.set("equal", counts.equal);
    return json;
  }

  const TrainArguments& a_;
  Console& console_;
  fs::path folder_;
  ThreadPool pool_;
  std::map<std::string, Counts> lists_;
  int differences_ = 0, before_ = 0;
};

// A case says all of it itself.
Status check_cases(const TrainArguments& a) {
  const std::pair<bool, const char*> given[] = {
      {!a.network.empty(), "NET"},
      {!a.target.empty(), "--target"},
      {!a.data.empty(), "--data"},
      {a.epochs.has_value(), "--epochs"},
      {a.batch.has_value(), "--batch-size"},
      {!a.optimizer.empty(), "--optimizer"},
      {a.rate.has_value(), "--lr"},
      {a.momentum.has_value(), "--momentum"},
      {a.decay.has_value(), "--wd"},
      {!a.batch_norm.empty(), "--batch-norm"},
      {a.no_bias, "--no-bias"},
      {a.validation.has_value(), "--validation-split"},
      {a.seed.has_value(), "--seed"},
      {a.qat_start.has_value(), "--qat-start"},
      {a.no_qat, "--disable-qat"},
      {a.weight_bits.has_value(), "--weight-bits"},
      {a.quantile.has_value(), "--shift-quantile"},
      {!a.resume.empty(), "--resume-from"},
      {!a.init.empty(), "--init"},
      {!a.schedule.empty(), "--schedule"},
      {!a.policy.empty(), "--qat-policy"},
      {!a.settings.empty(), "--train"},
      {a.patience.has_value(), "--patience"},
      {a.no_events, "--no-tensorboard"},
      {a.histograms, "--param-hist"},
      {a.curves, "--pr-curves"},
      {a.confusion, "--confusion"},
      {a.print_every.has_value(), "--print-freq"},
      {a.use_bias, "--use-bias"},
      {a.regression, "--regression"},
      {a.average_rounding, "--avg-pool-rounding"},
      {a.reset_optimizer, "--reset-optimizer"},
      {!a.set.empty(), "--set"},
      {!a.name.empty(), "--name"},
      {a.sample.has_value(), "--save-sample"},
      {a.deterministic, "--deterministic"},
      {!a.gpus.empty(), "--gpus"},
      {!a.workers.empty(), "--workers"},
      {!a.format.empty(), "--format"},
      {a.window.has_value(), "--window"},
      {a.hop.has_value(), "--hop"},
      {!a.train_accuracy.empty(), "--show-train-accuracy"},
      {a.upstream_bugs, "--upstream-bugs"},
      {!a.compiler_mode.empty(), "--compiler-mode"},
      {!a.compiler_backend.empty(), "--compiler-backend"},
      {a.dry_run, "--dry-run"}};
  EDGETWIN_TRY(refuse_tuning_options(a, "beside --cases", false));
  for (const auto& [is_given, option] : given) {
    if (!is_given) continue;
    return Error(ErrorCode::usage, std::string(option) + " changes nothing beside --cases")
        .with_hint("A recorded case says how it is computed: leave it out.");
  }
  return Ok{};
}

}  // namespace

Result<int> execute_cases(const TrainArguments& a, Console& console) {
  EDGETWIN_TRY(check_cases(a));
  if (a.output.empty() && !a.compare) {
    return Error(ErrorCode::usage, "nothing is asked for: give -o DIR, --compare, or both");
  }
  std::error_code failed;
  const fs::path index =
      fs::is_directory(a.cases, failed) ? fs::path(a.cases) / "cases.json" : fs::path(a.cases);
  EDGETWIN_TRY_ASSIGN(const std::vector<train::CaseEntry> entries, train::read_index(index));
  std::optional<AtomicFolder> output;
  if (!a.output.empty()) {
    EDGETWIN_TRY_ASSIGN(AtomicFolder folder, a.output.folder());
    output.emplace(std::move(folder));
  }
  CaseRun run(a, console, index.parent_path());
  bool found = false;
  for (const train::CaseEntry& entry : entries) {
    if (!a.only.empty() && entry.id != a.only) continue;
    found = true;
    EDGETWIN_TRY(run.one(entry, output ? &*output : nullptr));
  }
  if (!found) return Error(ErrorCode::usage, "the index has no case '" + a.only + "'");
  if (output) EDGETWIN_TRY(output->commit());
  return run.finish();
}

}  // namespace edgetwin::cli
