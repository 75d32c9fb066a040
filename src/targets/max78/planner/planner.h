// Processor maps, offsets and gaps of a description that leaves them out. docs/max78-planner.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

// What was planned of one layer; what the description says stays empty.
struct PlannedLayer {
  std::optional<uint64_t> processors, output_processors;
  std::optional<int64_t> in_offset, out_offset;
  std::optional<int> write_gap;
};

struct Planned {
  std::vector<PlannedLayer> layers;  // by index
  bool fits = false;
  int attempts = 0;                     // placements that were judged
  std::vector<std::string> violations;  // of a network that does not fit: what binds
};

// Fills in what `network` leaves out, so that make_plan() has no error; `network` keeps the best
// placement in any case. `skip` leaves out as many placements that would do: for callers whose
// proof of one failed. Findings: those of sizes and structure.
Planned plan_network(ai8x::Network& network, const ai8x::Parameters& parameters,
                     const SampleShape& sample, const Options& options, Findings& findings,
                     int skip = 0);

// The description with what was planned written into it; everything else stays as it was.
std::string complete_description(std::string_view yaml, const ai8x::Network& network,
                                 const Planned& planned);

}  // namespace edgetwin::max78
