// `verify FOLDER`: every compiled Edge TPU model in it, executed and held against its source.
#include <atomic>
#include <filesystem>
#include <mutex>

#include "base/file.h"
#include "base/parallel.h"
#include "base/sha256.h"
#include "cli/networks/shard.h"
#include "cli/shared/exit_codes.h"
#include "cli/shared/text.h"
#include "cli/verify/kinds.h"
#include "report/format.h"

namespace edgetwin::cli {
namespace {

namespace fs = std::filesystem;
using report::Json;
using twin::CompiledRun;
using twin::OutputAgreement;

struct Line {
  std::string_view verdict;  // equal, different, executed, stopped
  std::string why;
};

Line line_of(const CompiledRun& run) {
  if (run.reference == nullptr) return {"executed", "there is no network to compare with"};
  size_t elements = 0;
  size_t different = 0;
  for (const OutputAgreement& o : run.outputs) {
    elements += o.elements;
    different += o.different;
  }
  std::string with = run.decompiled ? "the decompiled network"
                                    : "'" + fs::path(run.reference->file).filename().string() + "'";
  if (run.runs.size() > 1) with += ", " + count_text(run.runs.size()) + " inputs";
  if (!run.ordered()) return {"different", "races in this order of the engines"};
  if (different == 0) return {"equal", "all " + count_text(elements) + " elements of " + with};
  return {"different",
          count_text(different) + " of " + count_text(elements) + " elements of " + with};
}

Line line_of(const Error& error) {
  std::string why = error.message + " [" + std::string(error.id()) + "]";
  if (!error.place.layer.empty()) why += "; operator " + error.place.layer;
  for (const std::string& detail : error.details) why += "; " + detail;
  return {"stopped", why};
}

// --shard mpi: the processes of mpirun.
constexpr std::string_view kRanks = "mpi";

// What the models of a folder are held against; the same for all shards.
Json work_of(const VerifyArguments& a, const std::vector<std::string>& files) {
  Json names = Json::array();
  for (const std::string& file : files) {
    std::error_code failed;
    Json one = Json::object();
    one.set("file", fs::path(file).lexically_relative(a.model).generic_string());
    names.push(std::move(one.set("bytes", static_cast<int64_t>(fs::file_size(file, failed)))));
  }
  Json work = Json::object();
  work.set("numerics", a.compute.numerics).set("plain", a.compute.plain);
  if (a.interleave) work.set("interleave", *a.interleave);
  return std::move(work.set("inputs", Json::list(a.inputs)).set("models", std::move(names)));
}

Line judged(const Bytes& data, const std::string& file, const twin::CompiledCheck& check,
            const Result<CompiledRun>& run) {
  Line line = run.ok() ? line_of(*run) : line_of(run.error());
  if (line.verdict == "different" && !run->decompiled &&
      equals_decompiled(data, file, check, *run).value_or(false)) {
    line.why += "; equal to the decompiled network";
  }
  if (run.ok()) {
    if (const auto open = twin::open_point(run->machine().report)) {
      line.why += "; " + open->message;
    }
  }
  if (run.ok() && run->left_out) line.why += "; left out: " + left_out_text(*run->left_out);
  return line;
}

// What one model of the folder gave.
struct Checked {
  size_t index = 0;
  std::string name, sha256;
  Line line;
  bool ran = false;
  Json run = Json::object();
  std::optional<Error> unread;
};

Checked check_model(const VerifyArguments& a, const std::string& file, size_t index,
                    const twin::CompiledCheck& check) {
  Checked c;
  c.index = index;
  c.name = fs::path(file).lexically_relative(a.model).string();
  const Result<Bytes> data = read_file(file);
  if (!data.ok()) {
    c.unread = data.error();
    return c;
  }
  const Result<CompiledRun> run = run_compiled(*data, file, check);
  c.line = judged(*data, file, check, run);
  c.sha256 = sha256_hex(*data);
  c.ran = run.ok();
  c.run.set("file", c.name).set("verdict", c.line.verdict).set("why", c.line.why);
  if (run.ok()) {
    c.run.set("instructions", run->machine().report.instructions).set("inputs", run->runs.size());
  }
  return c;
}

// The models of a shard, each on one thread: who is done takes the next. The answers are in the
// order of the names.
std::vector<Checked> check_models(const VerifyArguments& a, const std::vector<std::string>& files,
                                  const Shard& shard, Console& console) {
  std::vector<Checked> all;
  for (size_t n = 0; n < files.size(); ++n) {
    if (shard.has(n)) all.emplace_back().index = n;
  }
  twin::CompiledCheck check = compiled_check(a);
  check.compute.threads = 1;
  const auto most = static_cast<int>(std::max<size_t>(1, all.size()));
  ThreadPool pool(std::min(a.compute.threads, most));
  std::atomic<size_t> next = 0;
  std::mutex shown;
  pool.parallel_for(pool.size(), 1, [&](int64_t, int64_t, int) {
    for (size_t i = next++; i < all.size(); i = next++) {
      const std::string& file = files[all[i].index];
      {
        const std::lock_guard lock(shown);
        console.progress(static_cast<double>(i) / static_cast<double>(all.size()),
                         fs::path(file).filename().string());
      }
      all[i] = check_model(a, file, all[i].index, check);
    }
  });
  return all;
}

// Error: usage.
Status shard_fits(const VerifyArguments& a) {
  if (a.shard.empty()) return a.output.check();
  if (a.output.empty()) {
    return Error(ErrorCode::usage, "a shard needs -o for its part");
  }
  if (!a.report.empty()) {
    return Error(ErrorCode::usage, "a shard has no page")
        .with_hint("Leave --report out, or --shard.");
  }
  return a.output.check();
}

}  // namespace

Result<int> verify_compiled_folder(const VerifyArguments& a, VerifyReport& results) {
  EDGETWIN_TRY(shard_fits(a));  // before other processes wait for this one
  EDGETWIN_TRY_ASSIGN(SharedWork work, SharedWork::begin(a.shard == kRanks ? "" : a.shard));
  const Shard shard = work.shard();
  EDGETWIN_TRY_ASSIGN(const std::vector<std::string> files, twin::compiled_models_in(a.model));
  Console& console = results.console();
  results.asked("folder", a.model);
  if (work.writes()) results.inputs();
  size_t equal = 0;
  size_t ran = 0;
  size_t all = 0;
  Json list = Json::array();
  evaluation::ListPart part{"verify", work_of(a, files), files.size(), shard.number, shard.of, {}};
  for (Checked& c : check_models(a, files, shard, console)) {
    if (c.unread) return std::move(*c.unread);
    const bool yes = c.line.verdict == "equal";
    const std::string verdict(c.line.verdict);
    if (!work.by_ranks()) results.row(yes, verdict, c.name, c.line.why);
    ++all;
    ran += c.ran ? 1 : 0;
    equal += yes ? 1 : 0;
    Json row = Json::object();
    row.set("index", c.index).set("yes", yes).merge(c.run);
    row.set("text", verdict + "  " + c.name + "  " + c.line.why);
    part.rows.push_back(std::move(row.set("sha256", c.sha256)));
    list.push(std::move(c.run));
  }
  if (work.by_ranks()) {
    EDGETWIN_TRY_ASSIGN(const evaluation::ListPart whole, work.gathered(std::move(part)));
    if (!work.writes()) return kYes;
    console.print(evaluation::list_text(whole));
    EDGETWIN_TRY(write_list(whole, a.output, console));
    return results.finish(whole.yes(), whole.yes() ? "verified" : "not verified");
  }
  const bool yes = equal == all && (all > 0 || !a.shard.empty());
  console.json().set("models", std::move(list));
  std::string verdict = std::string(yes ? "verified" : "not verified") + ": " + count_text(all) +
                        " models, " + count_text(ran) + " executed, " + count_text(equal) +
                        " equal";
  if (!a.shard.empty()) verdict += "; shard " + a.shard + " of " + count_text(files.size());
  console.print(verdict + "\n");
  if (!a.output.empty()) EDGETWIN_TRY(write_list(part, a.output, console));
  return results.finish(yes, verdict);
}

}  // namespace edgetwin::cli
