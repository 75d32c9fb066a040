#include "edgetwin/evaluate.h"

#include "cli/evaluate/arguments.h"
#include "cli/networks/shard.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/open_arguments.h"
#include "cluster/cluster.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

using report::Json;

constexpr uint64_t kMaxSeed = 4294967295;

std::vector<std::string> words_of(const std::string& list) {
  std::vector<std::string> words;
  size_t begin = 0;
  while (true) {
    const size_t at = list.find(',', begin);
    words.push_back(list.substr(begin, at == std::string::npos ? at : at - begin));
    if (at == std::string::npos) return words;
    begin = at + 1;
  }
}

// Each network in each of the numerics that are named.
Result<std::vector<Candidate>> candidates_of(const EvaluateArguments& a) {
  std::vector<Candidate> all;
  for (const std::string& model : a.models) {
    for (const std::string& numerics : words_of(a.compute.numerics)) {
      Candidate c;
      c.file = model;
      c.open = open_options(a.compute, a.max78);
      c.open.numerics = numerics;
      c.run = runner_options(a.compute);
      c.run.threads = 1;
      if (!a.device.empty()) {
        const bool is_virtual = a.device.starts_with("virtual");
        c.run.where = is_virtual ? Where::virtual_device : Where::device;
        if (!is_virtual) c.run.device = a.device;
        c.run.reference = a.reference;
      }
      all.push_back(std::move(c));
    }
  }
  if (a.device == "virtual:source" && a.reference.empty()) {
    return Error(ErrorCode::usage, "--device virtual:source needs --reference");
  }
  if (!a.reference.empty() && a.device != "virtual:source") {
    return Error(ErrorCode::usage, "--reference changes nothing without --device virtual:source");
  }
  return all;
}

Result<EvaluateOptions> options_of(const EvaluateArguments& a, Console& console) {
  EvaluateOptions o;
  o.task = a.task;
  o.data = a.data;
  o.pictures = a.pictures;
  o.targets = a.targets;
  o.labels = a.labels;
  o.label_offset = a.label_offset.value_or(0);
  o.resize = a.resize;
  o.mean = a.compute.mean;
  o.std = a.compute.std;
  o.params = a.params;
  o.decoder = a.decode;
  o.threshold = a.threshold;
  o.limit = a.limit;
  if (a.shuffle > kMaxSeed) return Error(ErrorCode::usage, "--shuffle is beyond 4294967295");
  o.shuffle = static_cast<uint32_t>(a.shuffle);
  EDGETWIN_TRY_ASSIGN(const Shard shard, shard_of(a.shard));
  o.shard = shard.number;
  o.shards = shard.of;
  o.part = !a.shard.empty();
  if (o.part && !a.report.empty()) {
    return Error(ErrorCode::usage, "a shard has no page: give --report to `merge`");
  }
  if (o.part && a.output.empty()) {
    return Error(ErrorCode::usage, "a shard needs -o for its part");
  }
  o.workers = a.compute.threads;
  o.journal = a.output.path;
  o.page = !a.report.empty();
  o.progress = console.progress_sink();
  return o;
}

Status write(const EvaluateArguments& a, const Evaluation& made) {
  if (!a.output.empty()) {
    EDGETWIN_TRY(a.output.write(made.json));
    EDGETWIN_TRY(remove_journals(a.output.path));
  }
  if (!a.report.empty()) EDGETWIN_TRY(a.report.write(made.page));
  return Ok{};
}

// What only checkpoints of `train` have.
Status check_task(const EvaluateArguments& a) {
  if (a.task.empty()) return Error(ErrorCode::usage, "--task is required");
  const std::pair<bool, const char*> given[] = {{a.integers, "-8"},
                                                {a.confusion, "--confusion"},
                                                {!a.split.empty(), "--split"},
                                                {!a.save_csv.empty(), "--save-csv"},
                                                {a.regression, "--regression"},
                                                {!a.settings.empty(), "--train"},
                                                {a.attribution > 0, "--attribution"},
                                                {!a.onnx.empty(), "--onnx"},
                                                {a.at_least.has_value(), "--at-least"}};
  for (const auto& [is_given, option] : given) {
    if (!is_given) continue;
    return Error(ErrorCode::usage, std::string(option) + " changes nothing beside --task");
  }
  return Ok{};
}

}  // namespace

Result<int> execute(const EvaluateArguments& a, Console& console) {
  if (is_trained(a)) return execute_trained(a, console);
  EDGETWIN_TRY(check_task(a));
  EDGETWIN_TRY_ASSIGN(EvaluateOptions options, options_of(a, console));
  EDGETWIN_TRY_ASSIGN(const std::vector<Candidate> candidates, candidates_of(a));
  std::unique_ptr<Cluster> cluster;
  if (cluster::launched() > 1) {
    EDGETWIN_TRY_ASSIGN(cluster, cluster::join());
    options.cluster = cluster.get();
  }
  const bool writes = cluster == nullptr || cluster->rank() == 0;
  if (writes) {
    EDGETWIN_TRY(a.output.check());
    EDGETWIN_TRY(a.report.check());
  } else {
    options.progress = nullptr;
  }
  const Result<Evaluation> done = evaluate(candidates, options);
  // Said before the end of this process ends all others.
  if (!done.ok())
    return cluster != nullptr ? Result<int>(console.error(done.error())) : done.error();
  if (!writes) return kYes;
  const Evaluation& made = *done;
  for (const Finding& f : made.findings) console.finding(f);
  EDGETWIN_TRY(write(a, made));
  console.print(made.text);
  if (made.resumed > 0) {
    console.note(std::to_string(made.resumed) + " samples were computed before");
  }
  console.note(report::fixed_text(made.rate, 1) + " samples per second");
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(made.json, "result"));
  console.json().set("result", document);
  return kYes;
}

}  // namespace edgetwin::cli
