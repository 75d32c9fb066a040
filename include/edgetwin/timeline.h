// A compiled Edge TPU model as the chip runs it: engines side by side, ordered by the counters of
// its instructions alone. Whether that order suffices, and how long the model of costs says it
// takes. docs/edgetpu-sync.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/finding.h"
#include "edgetwin/result.h"
#include "edgetwin/tensor.h"

namespace edgetwin {

struct TimelineOptions {
  uint32_t data = 1;  // seed of the 32-bit xorshift generator that fills the inputs, not 0
  // One more run for each: among the engines that may go on any is taken, by this seed.
  std::vector<uint64_t> orders;
  bool races = true;  // every access is held against the chains of counters
  size_t tile = 0;    // that the picture shows, 0 to 15
};

struct LayerOnChip {
  size_t instructions = 0;
  double begin = 0, end = 0;     // microseconds since the start
  std::string engine;            // that works longest
  double busy = 0, waiting = 0;  // of that engine, microseconds
};

// One compiled operator.
struct ProgramTimeline {
  std::string name;  // of the operator's output, or of the executable
  double time = 0;   // microseconds, by the model of costs
  std::vector<LayerOnChip> layers;
  size_t orders = 0;     // that were run: the fixed one and TimelineOptions::orders
  size_t different = 0;  // of them, with other bytes than the program in its own order
  uint64_t checked = 0;  // reads and writes that were held against the counters; 0: none were
  // TPU-SYNC-*. Receivers of lines of fewer than 64 words wait too little in all public programs;
  // where waits by the true number of words leave no race, there is one note instead.
  std::vector<Finding> findings;
  size_t same_bytes = 0;     // pairs of them that no counter orders and that write the same bytes
  bool short_lines = false;  // `different` and the races are of the waits with true words
  std::string json;          // layers and engines, busy and waiting in steps of 2 ns
  std::string trace;         // Chrome's trace format: processes are tiles, threads engines
  Bytes picture;             // PNG: lanes of the engines of one tile

  // It comes to its end with the same bytes in every order, and no access is unordered but those
  // that write what is there already.
  EDGETWIN_API bool good() const;
};

// Every compiled operator of a file. Inputs are pseudo-random bytes: waits do not depend on them.
// Errors: file_*, darwinn_*, edgetpu_no_program, edgetpu_*, chip_*.
EDGETWIN_API Result<std::vector<ProgramTimeline>> timeline(const std::string& compiled,
                                                           const TimelineOptions& options = {},
                                                           const ProgressSink& progress = nullptr);

}  // namespace edgetwin
