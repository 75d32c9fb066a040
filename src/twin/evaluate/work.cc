#include "twin/evaluate/work.h"
#include "evaluate/rules/rules.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>

#include "twin/evaluate/judge.h"

namespace edgetwin::twin {
namespace {

using Clock = std::chrono::steady_clock;
using evaluation::Record;

// A device has one runner for all workers.
std::mutex device_mutex;

Result<Judged> compute_one(const EvaluationPlan& plan, Contender& c,
                           const evaluation::Sample& sample, const evaluation::Loaded& loaded,
                           size_t worker) {
  const bool shared = c.runners.size() == 1;
  Runner& runner = *c.runners[shared ? 0 : worker];
  Prepared& prepared = c.scratch[worker];
  EDGETWIN_TRY(prepare(loaded, runner, c.preparation, prepared));
  std::unique_lock<std::mutex> lock(device_mutex, std::defer_lock);
  if (shared) lock.lock();
  EDGETWIN_TRY(runner.reset());
  EDGETWIN_TRY_ASSIGN(const Run run, runner.run(prepared.inputs.tensors));
  if (shared) lock.unlock();
  const Judging how{plan.identity.task, c.decoder, plan.threshold};
  return judge(sample, prepared, run, runner, how);
}

// The sample in the place of the worker's last one. Tensors of some sets have one form: for these
// only the bytes are copied, since to make and remove a tensor takes longer than a small network.
Result<const evaluation::Loaded*> load_sample(EvaluationPlan& plan,
                                              const evaluation::Sample& sample, size_t worker) {
  evaluation::Loaded& last = plan.loaded[worker];
  if (plan.set.bytes && !last.tensor.data.empty()) {
    const ByteSpan bytes = plan.set.bytes(sample);
    std::memcpy(last.tensor.data.data(), bytes.data(), bytes.size());
  } else {
    EDGETWIN_TRY_ASSIGN(last, plan.set.load(sample));
  }
  return &last;
}

// Errors that are the fault of one sample: the evaluation goes on without it.
bool is_of_sample(const Error& error) {
  if (!error.rule.empty()) return error.rule == evaluation::info(evaluation::Rule::set_broken).id;
  switch (error.code) {
    case ErrorCode::file_open:
    case ErrorCode::file_not_regular:
    case ErrorCode::file_too_large:
    case ErrorCode::image_decode:
    case ErrorCode::out_of_memory:
    case ErrorCode::truncated:
    case ErrorCode::bad_value:
    case ErrorCode::npy_header:
    case ErrorCode::npy_type:
    case ErrorCode::input_not_finite:
      return true;
    default:
      return false;
  }
}

// Shared by the threads of a block.
struct Block {
  std::span<const uint64_t> indices;
  std::vector<Record> records;
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> failed;
};

void work_on(EvaluationPlan& plan, Block& block, size_t worker) {
  while (true) {
    const size_t i = block.next++;
    if (i >= block.indices.size()) return;
    Result<Record> record = compute_sample(plan, block.indices[i], worker);
    const std::lock_guard lock(block.mutex);
    if (record.ok()) {
      block.records[i] = std::move(*record);
    } else {
      if (!block.failed) block.failed = std::move(record).error();
      block.next = block.indices.size();
    }
  }
}

Result<std::vector<Record>> compute_block(EvaluationPlan& plan, std::span<const uint64_t> indices,
                                          int workers) {
  Block block;
  block.indices = indices;
  block.records.resize(indices.size());
  std::vector<std::thread> threads;
  try {
    for (int w = 1; w < workers; ++w) {
      threads.emplace_back([&plan, &block, w] { work_on(plan, block, static_cast<size_t>(w)); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that are there do the work, with the same result.
  }
  work_on(plan, block, 0);
  for (std::thread& t : threads) t.join();
  if (block.failed) return std::move(*block.failed);
  return std::move(block.records);
}

// "1 024 of 50 000, 311 per second, 2 min 37 s left"
std::string rate_text(uint64_t done, uint64_t of, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0.0;
  const auto left = rate > 0 ? static_cast<int64_t>(static_cast<double>(of - done) / rate) : 0;
  std::string text = std::to_string(done) + " of " + std::to_string(of) + ", " +
                     std::to_string(static_cast<int64_t>(rate)) + " per second, ";
  if (left >= 60) text += std::to_string(left / 60) + " min ";
  return text + std::to_string(left % 60) + " s left";
}

std::vector<uint64_t> pending_of(const EvaluationPlan& plan, const EvaluateOptions& o,
                                 const std::vector<Record>& before) {
  std::set<uint64_t> done;
  for (const Record& r : before) done.insert(r.index);
  std::vector<uint64_t> pending;
  for (uint64_t i = 0; i < plan.set.samples.size(); ++i) {
    if (evaluation::in_shard(i, o.shard, o.shards) && !done.contains(i)) pending.push_back(i);
  }
  return pending;
}

}  // namespace

Result<Record> compute_sample(EvaluationPlan& plan, uint64_t index, size_t worker) {
  const evaluation::Sample& sample = plan.set.samples[index];
  Record record;
  record.index = index;
  record.name = sample.name;
  const Result<const evaluation::Loaded*> loaded = load_sample(plan, sample, worker);
  std::vector<Judged> all;
  for (size_t m = 0; m < plan.contenders.size(); ++m) {
    Result<Judged> judged = loaded.ok()
                                ? compute_one(plan, plan.contenders[m], sample, **loaded, worker)
                                : Result<Judged>(loaded.error());
    if (!judged.ok()) {
      if (!is_of_sample(judged.error())) return std::move(judged).error();
      record.rows.clear();
      record.agreed.clear();
      record.broken = judged.error().message;
      return record;
    }
    record.rows.push_back(judged->row);
    all.push_back(std::move(*judged));
    if (m > 0) record.agreed.push_back(agreed(all[0], all[m]));
  }
  return record;
}

Result<Worked> compute_all(EvaluationPlan& plan, const EvaluateOptions& o, Cluster& cluster) {
  Worked worked;
  evaluation::JournalPlace place;
  place.output = o.journal;
  place.form = plan.identity.form();
  place.identity =
      plan.identity.json.text() + std::to_string(o.shard) + "/" + std::to_string(o.shards);
  std::optional<evaluation::Journal> journal;
  std::vector<Record> before;
  if (!o.journal.empty()) {
    EDGETWIN_TRY_ASSIGN(before, evaluation::read_journals(place));
    // Perhaps it was repaired.
    std::erase_if(before, [](const Record& r) { return !r.broken.empty(); });
  }
  const std::vector<uint64_t> pending = pending_of(plan, o, before);
  // Nobody writes before all have read.
  EDGETWIN_TRY(cluster.barrier());
  if (!o.journal.empty() && !pending.empty()) {
    EDGETWIN_TRY_ASSIGN(evaluation::Journal opened,
                        evaluation::Journal::open(place, cluster.rank()));
    journal.emplace(std::move(opened));
  }
  EDGETWIN_TRY(cluster.barrier());
  worked.resumed = before.size();
  // What was there counts once, on the rank that writes the result.
  if (cluster.rank() == 0) worked.records = std::move(before);
  const Clock::time_point start = Clock::now();
  while (true) {
    EDGETWIN_TRY_ASSIGN(const uint64_t block, cluster.next());
    const uint64_t first = block * evaluation::kBlock;
    if (first >= pending.size()) break;
    const size_t count = std::min<size_t>(evaluation::kBlock, pending.size() - first);
    EDGETWIN_TRY_ASSIGN(std::vector<Record> records,
                        compute_block(plan, std::span(pending).subspan(first, count), o.workers));
    if (journal) EDGETWIN_TRY(journal->append(records));
    worked.computed += count;
    worked.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    worked.records.insert(worked.records.end(), std::make_move_iterator(records.begin()),
                          std::make_move_iterator(records.end()));
    if (!o.progress) continue;
    const uint64_t done = std::min<uint64_t>(first + count, pending.size());
    o.progress(static_cast<double>(done) / static_cast<double>(pending.size()),
               rate_text(done, pending.size(), worked.seconds));
  }
  std::ranges::sort(worked.records, {}, &Record::index);
  return worked;
}

}  // namespace edgetwin::twin
