#include "report/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <thread>

#include "report/format.h"

namespace edgetwin::report {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWarmUp = 3;
constexpr int kMaxProfiled = 25;

double microseconds(std::chrono::nanoseconds t) { return static_cast<double>(t.count()) / 1000.0; }

Result<double> timed_run(exec::Session& session, const exec::Session::Observer& observer) {
  session.reset_variables();
  const auto start = Clock::now();
  EDGETWIN_TRY(session.run(observer));
  return microseconds(Clock::now() - start);
}

}  // namespace

Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  Spread s;
  s.median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2.0;
  s.min = values.front();
  s.max = values.back();
  const auto rank = static_cast<size_t>(std::ceil(0.9 * static_cast<double>(n)));
  s.p90 = values[std::max<size_t>(rank, 1) - 1];
  return s;
}

Result<Timing> measure(exec::Session& session, int runs, const ProgressSink& progress) {
  Timing t;
  t.profiled = std::min(runs, kMaxProfiled);
  const double all = kWarmUp + runs + t.profiled;
  double done = 0.0;
  const auto advance = [&](const char* step) {
    if (progress) progress(++done / all, step);
  };
  for (int i = 0; i < kWarmUp; ++i) {
    EDGETWIN_TRY_ASSIGN(const double us, timed_run(session, nullptr));
    t.warm_up.push_back(us);
    advance("warm-up");
  }
  for (int i = 0; i < runs; ++i) {
    EDGETWIN_TRY_ASSIGN(const double us, timed_run(session, nullptr));
    t.runs.push_back(us);
    advance("runs");
  }
  std::vector<std::vector<double>> steps(session.steps().size());
  for (int i = 0; i < t.profiled; ++i) {
    EDGETWIN_TRY(timed_run(session, [&](size_t step, std::chrono::nanoseconds elapsed) {
      steps[step].push_back(microseconds(elapsed));
    }));
    advance("operators");
  }
  t.total = spread(t.runs);
  for (const auto& values : steps) t.steps.push_back(values.empty() ? Spread{} : spread(values));
  return t;
}

std::vector<TypeTime> times_by_type(const exec::Session& session, const Timing& timing) {
  std::map<std::string, TypeTime> by_type;
  for (size_t i = 0; i < session.steps().size(); ++i) {
    const exec::Step& step = session.steps()[i];
    if (step.folded) continue;
    TypeTime& t = by_type[op_type_name(session.graph().ops[step.op_index])];
    ++t.count;
    t.microseconds += timing.steps[i].median;
    t.macs += step.macs;
  }
  std::vector<TypeTime> list;
  for (auto& [type, t] : by_type) {
    t.type = type;
    list.push_back(t);
  }
  std::stable_sort(list.begin(), list.end(), [](const TypeTime& a, const TypeTime& b) {
    return a.microseconds > b.microseconds;
  });
  return list;
}

Machine this_machine() {
  Machine m;
  m.cpu = "unknown";
  m.cpus = static_cast<int>(std::thread::hardware_concurrency());
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);) {
    const size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) {
      m.cpu = line.substr(colon + 2);
      break;
    }
  }
  return m;
}

}  // namespace edgetwin::report
