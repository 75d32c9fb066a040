// What all parts of the machine share: memories, registers, findings, counters.
#pragma once

#include <map>
#include <vector>

#include "targets/max78/machine/layers/layer_config.h"
#include "targets/max78/machine/state/finding_list.h"
#include "targets/max78/machine/state/memory.h"
#include "targets/max78/machine/state/options.h"
#include "targets/max78/machine/state/registers.h"

namespace edgetwin::max78 {

// A word that a layer writes for each pixel.
struct OutWord {
  uint32_t pointer = 0;  // for pixel 0
  int pass = 0;
  // Which sum or channel goes into each byte; of 32-bit words only [0]; -1: the byte stays.
  std::array<int32_t, 4> source = {-1, -1, -1, -1};
};

// Words that a layer read, of one writer.
struct InputShare {
  uint64_t words = 0;
  uint32_t address = 0;  // of the first
  uint64_t step = 0;     // when that was written
};

// What is kept of a layer after it ran.
struct LayerRecord {
  LayerConfig config;
  std::vector<OutWord> words;
  std::vector<int32_t> channels;  // of sources
  uint32_t pixel_step = 0;
  std::map<int, InputShare> inputs;  // by writer
  bool resets = false;               // one pixel only, to clear the pooling before the next layer
};

struct Core {
  Core(const Limits& limits, const MachineOptions& wanted);

  DataPlace place(uint32_t pointer) const {
    return {static_cast<int>(pointer >> chip.pointer_shift),
            pointer & ((1U << chip.pointer_shift) - 1)};
  }
  uint32_t address(DataPlace p) const { return chip.data_address(p.instance) + 4 * p.word; }
  int64_t* sums_at(DataPlace p) {
    return sums.empty()
               ? nullptr
               : &sums[(static_cast<size_t>(p.instance) * static_cast<size_t>(chip.instance_words) +
                        p.word) *
                       4];
  }

  const Limits& chip;
  MachineOptions options;
  DataMemory data;
  KernelMemory kernels;
  BiasMemory biases;
  Registers regs;
  FindingList findings;
  FieldSet seen;
  uint64_t steps = 0, products = 0;
  int layers_done = 0;
  MachineHook hook;
  std::map<int, LayerRecord> records;
  std::vector<int64_t> sums;  // four of each word; kNoSum: none
};

inline constexpr int64_t kNoSum = INT64_MIN;

}  // namespace edgetwin::max78
