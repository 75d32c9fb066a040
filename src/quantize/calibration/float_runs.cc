#include "quantize/calibration/float_runs.h"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/parallel.h"

namespace edgetwin::quantize {
namespace {

Status run_one(exec::Session& session, const Sample& sample) {
  for (size_t i = 0; i < sample.size(); ++i) EDGETWIN_TRY(session.set_input(i, sample[i].data));
  session.reset_variables();
  return session.run();
}

}  // namespace

Status run_samples(const std::shared_ptr<const Graph>& graph, std::span<const Sample> samples,
                   const Runs& runs, const AfterRun& after) {
  const auto count = static_cast<int64_t>(samples.size());
  const int workers = std::max(1, static_cast<int>(std::min<int64_t>(runs.threads, count)));
  ThreadPool pool(workers);
  std::vector<std::optional<Error>> errors(samples.size());
  std::mutex reporting;
  int64_t done = 0;
  exec::Options options;
  options.numerics = runs.numerics;
  options.keep_all = true;
  options.threads = std::max(1, runs.threads / workers);
  // A worker gets several parts: one session for all of them.
  std::vector<std::optional<Result<exec::Session>>> sessions(static_cast<size_t>(pool.size()));
  const auto work = [&](int64_t begin, int64_t end, int worker) {
    auto& own = sessions[static_cast<size_t>(worker)];
    if (!own) own.emplace(exec::Session::create(graph, options));
    auto& session = *own;
    for (int64_t i = begin; i < end; ++i) {
      const auto at = static_cast<size_t>(i);
      Status status = session.ok() ? run_one(*session, samples[at]) : Status(session.error());
      if (status.ok()) status = after(at, *session);
      if (!status.ok()) errors[at] = std::move(status).error();
      if (!runs.progress) continue;
      const std::lock_guard lock(reporting);
      ++done;
      runs.progress(runs.from + (runs.to - runs.from) * static_cast<double>(done) /
                                    static_cast<double>(count),
                    runs.what);
    }
  };
  pool.parallel_for(count, 1, work);
  for (auto& e : errors) {
    if (e) return std::move(*e);
  }
  return Ok{};
}

}  // namespace edgetwin::quantize
