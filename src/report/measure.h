// Times of repeated runs, in microseconds everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/finding.h"
#include "base/progress.h"
#include "base/result.h"
#include "exec/session.h"
#include "report/json.h"

namespace edgetwin::report {

struct Spread {
  double median = 0, min = 0, p90 = 0, max = 0;  // µs
};

// Of at least one value; p90 is the smallest value with 90 % of the values at or below it.
Spread spread(std::vector<double> values);

struct Timing {
  std::vector<double> warm_up;  // µs each; the first one touches the memory for the first time
  std::vector<double> runs;     // µs each, without an observer
  Spread total;
  // Per step of the session: µs of each of `profiled` further runs, as a spread.
  int profiled = 0;
  std::vector<Spread> steps;
};

// Inputs must be set; variables are reset before every run.
Result<Timing> measure(exec::Session& session, int runs, const ProgressSink& progress);

// By operator type, the most expensive first.
struct TypeTime {
  std::string type;
  int64_t count = 0;
  double microseconds = 0;  // sum of medians
  int64_t macs = 0;
};
std::vector<TypeTime> times_by_type(const exec::Session& session, const Timing& timing);

// The machine that was measured on.
struct Machine {
  std::string cpu;  // "unknown" where the system does not say
  int cpus = 0;
};
Machine this_machine();

std::string timing_text(const exec::Session& session, const Timing& timing, const Machine& machine,
                        const std::string& isa);
Json timing_json(const exec::Session& session, const Timing& timing, const Machine& machine,
                 const std::string& isa);

}  // namespace edgetwin::report
