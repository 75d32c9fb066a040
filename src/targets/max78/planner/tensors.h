// What lies in data memory, and how it is tied to the rest. The steps of plan_network.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "targets/max78/hardware/hardware.h"

namespace edgetwin::max78 {

inline constexpr int kInputTensor = 0;  // tensor i + 1 is the result of layer i
inline constexpr int64_t kInPlaceBytes = 0x100;

struct PlanTensor {
  bool used = false;
  int channels = 0, width = 0;  // width: processors of one pass
  int64_t bytes = 0;            // in each data memory, without gaps
  int64_t before = 0;           // bytes that are written before it
  int gap = 0, slot = 0;        // words of others between two pixels
  int first = 0, last = 0;      // places in the order of execution
  bool planes = false;          // a channel in each data memory
  uint64_t fixed_map = 0, map = 0;
  std::optional<int64_t> fixed_offset;
  int64_t offset = 0;
  int group = -1, delta = 0;  // of processors: its place from the group's first
  int block = -1;             // of offsets: tensors between each other's words
};

// A set of tensors whose maps follow from one processor.
struct MapGroup {
  int low = 0, extent = 0, step = 4;
  bool fixed = false;
  int base = 0;
};

struct PlanBlock {
  std::vector<int> tensors;
  int64_t bytes = 0, before = 0;
  int first = 0, last = 0;
  uint32_t memories = 0;
  std::optional<int64_t> fixed;
  int after = -1;  // --overlap-data: the block that this one may overwrite from its end on
  int64_t offset = 0;
};

// Of one network.
struct TensorTable {
  std::vector<PlanTensor> tensors;
  std::vector<MapGroup> groups;
  std::vector<std::vector<int>> sources;  // of each layer; empty: reads the buffer
  std::vector<std::string> misfits;
  int64_t data_bytes = 0;  // after choose_places: the sixteen memories, each up to its last byte
};

// How one placement is searched.
struct SearchSettings {
  uint32_t seed = 1;
  int processors = kProcessors;  // maps stay below this one where the description allows it
  bool least_room = false;       // of many orders the one that uses the fewest bytes
};

TensorTable make_tensors(const HardwarePlan& plan);

// Maps of all tensors by the groups' bases.
void give_maps(TensorTable& t);
// Columns of kernel memory that are missing, and the fullest memory.
struct KernelNeed {
  int64_t missing = 0, fullest = 0;
  int64_t waiting = 0;  // cycles that layers which pool last spend before their first row
};
KernelNeed kernel_need(const HardwarePlan& plan, const TensorTable& t);
// Bases of the groups: greedy, then changed as long as it helps. False: they need more processors
// than the settings allow.
bool choose_maps(const HardwarePlan& plan, TensorTable& t, const SearchSettings& settings);

// Why no place was found: what binds, and the bytes that one data memory lacks (0: each moment has
// room).
struct PlaceMisfit {
  std::string text;
  int64_t missing = 0;
};
// Offsets of all blocks. False: no order was found; `why` says what binds.
bool choose_places(const HardwarePlan& plan, TensorTable& t, const SearchSettings& settings,
                   PlaceMisfit& why);

// Groups of biases where the loader's order, longest first, finds no room: layer and group. Empty:
// nothing to choose, or no choice fits.
std::vector<std::pair<int, int>> choose_bias_groups(const HardwarePlan& plan);

}  // namespace edgetwin::max78
