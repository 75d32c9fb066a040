// An instruction cut into parts: between two cuts it waits for nothing and counts nothing. The same
// in all tiles.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "targets/edgetpu/isa/counters.h"
#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/machine/engines/tensor_iteration.h"

namespace edgetwin::edgetpu::sync {

using machine::Address;
using machine::Core;
using machine::kNone;
using machine::Step;

struct Need {
  CounterId counter;
  int32_t threshold = 0;
};
struct Count {
  CounterId counter;
  uint32_t n = 0;
};

// One side of an instruction. Places are iterations of a tensor instruction, else the places of the
// side's traversal.
struct SidePlan {
  std::vector<uint32_t> end;                // of the parts, ascending
  std::vector<uint32_t> need_at, count_at;  // by part, and one more
  std::vector<Need> needs;
  std::vector<Count> counts;
  size_t parts() const { return end.size(); }
  uint32_t begin_of(size_t part) const { return part == 0 ? 0 : end[part - 1]; }
};

// Addresses without the switch between two buffers: `pass` says how often it was switched.
struct SidePlaces {
  std::vector<Address> at;
  int64_t by = 0;  // distance of two buffers that take turns; 0: one
  int64_t start = 0;
  uint32_t passes = 1;
  int64_t place(size_t n, uint32_t turn) const {
    return at[n].at + (((at[n].pass + turn) & 1U) != 0 ? by : 0);
  }
};

struct StepPlan {
  Step step;  // as the instruction says, without what links of buffers add
  SidePlan side[2];
  SidePlaces a, b, weight;
  std::optional<machine::TensorIteration> tensor;
  // n2w: by word of side A its line, its number there, and the places of the innermost level.
  struct WordPlace {
    uint32_t line = 0;
    uint16_t word = 0, innermost = 1;
  };
  std::vector<WordPlace> words;
  std::vector<uint32_t> words_before;  // n2w, w2n: words of the lines before, and all
  size_t lines = 0;                    // n2w: that are made
  std::optional<int32_t> exact_start;
  bool every_place = false;
  // w2n of numbers, by line: the first place of side B.
  std::vector<uint32_t> row_at;
};

struct PlanOptions {
  // Of its wait for WIDE_TO_NARROW, where it is another one than the instruction's.
  std::optional<int32_t> exact_start;
  bool every_place = false;  // that counts is a part
};
// Errors: those of the engines for what they do not know.
Result<std::shared_ptr<StepPlan>> make_plan(Core& core, size_t step,
                                            const PlanOptions& options = {});

// Of an infeed, a param or an outfeed: only what it waits for and counts.
std::shared_ptr<StepPlan> core_plan(const Instruction& instruction);

}  // namespace edgetwin::edgetpu::sync
