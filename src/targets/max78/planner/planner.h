// Processor maps, offsets, gaps, streaming and groups of biases of a description that leaves them
// out. docs/max78-planner.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/max78/plan/make_plan.h"

namespace edgetwin::max78 {

// What is to be least among the placements that keep every rule.
//   latency: the estimated cycles (known for the MAX78000 only)
//   energy:  groups of processors that are switched on, times the cycles; then kernels to load
//   memory:  bytes of data memory up to the last one in use, of all sixteen, and of kernels
enum class Objective : uint8_t { latency, energy, memory };
std::optional<Objective> objective_by_name(std::string_view name);
std::vector<std::string> objective_names();  // the first one is taken without a wish
std::string_view name(Objective objective);

struct PlanSettings {
  Objective objective = Objective::latency;
  uint32_t seeds = 12;  // starting orders that are tried
  size_t orders = 8;    // running orders of branches that are tried
  int skip = 0;  // placements that would do and are left out: for callers whose proof of one failed
};

// What was planned of one layer; what the description says stays empty.
struct PlannedLayer {
  std::optional<uint64_t> processors, output_processors;
  std::optional<int64_t> in_offset, out_offset;
  std::optional<int> write_gap;
  std::optional<int> bias_group;
  std::optional<std::vector<int>> in_sequences;
  bool streaming = false;
};

// What a placement costs; the objective chooses by some of it.
struct PlanCost {
  int64_t cycles = 0;        // 0: no law is known for the chip
  int groups = 0;            // of 16 processors, in use
  int64_t data_bytes = 0;    // of the sixteen data memories, each up to its last byte in use
  int64_t kernel_bytes = 0;  // columns in use of all kernel memories
};

struct Planned {
  std::vector<PlannedLayer> layers;  // by index, in the planned order
  // Where another order than the written one is planned: the written numbers of its layers.
  std::vector<int> order;
  // Of the data buffer, where the description leaves them out.
  std::optional<uint64_t> buffer_processors;
  std::optional<int64_t> buffer_offset;
  bool fits = false;
  int attempts = 0;  // placements that were judged
  PlanCost cost;     // of the one that was taken
  // Of a network that does not fit: what binds, the least violation first.
  std::vector<std::string> violations;
};

// Fills in what `network` leaves out, so that make_plan() has no error. Layers whose order is
// planned lie in that order afterwards, with their parameters. Findings: those of sizes and
// structure, and connections that could be others.
Planned plan_network(ai8x::Network& network, ai8x::Parameters& parameters,
                     const SampleShape& sample, const Options& options, Findings& findings,
                     const PlanSettings& settings = {});

// --- place_network.cc: the same for a network whose layers have their order and their sources;
// `network` keeps the best placement in any case.
Planned place_network(ai8x::Network& network, const ai8x::Parameters& parameters,
                      const SampleShape& sample, const Options& options, Findings& findings,
                      const PlanSettings& settings = {});

// The description with what was planned written into it; everything else stays as it was.
std::string complete_description(std::string_view yaml, const ai8x::Network& network,
                                 const Planned& planned);

// --- changes.cc: of a network that does not fit. Sentences of changes with each of which it fits;
// each was planned. Empty: none was found.
std::string changes_that_fit(const ai8x::Network& network, const ai8x::Parameters& parameters,
                             const SampleShape& sample, const Options& options);

}  // namespace edgetwin::max78
