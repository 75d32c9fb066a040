// Processor maps, offsets and gaps that a description of a MAX78000 or MAX78002 leaves out
// (docs/max78-planner.md).
//
//   OpenOptions options;
//   options.target = "max78000", options.checkpoint = "net.pth.tar", options.sample = "s.npy";
//   const auto planned = plan("net.yaml", options);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/network.h"

namespace edgetwin {

struct PlannedNetwork {
  const Target* target = nullptr;
  // False: there is no plan; `findings` say what binds, with the calculation, and a change that was
  // planned and fits.
  bool fits = false;
  std::vector<Finding> findings;
  std::string description;  // the whole .yaml: what was written, and what was planned
  int attempts = 0;         // placements that were judged
  int64_t cycles = 0;       // estimated; 0: no law is known for the chip
  // Of the proof: values of all layers that the machine, which executes the plan's register
  // program, has as the twin has them.
  int64_t values_equal = 0;
};

// `description` is the file of a network (.yaml). Required: target, parameters (checkpoint, or
// weights and bias) and sample. Errors: file_*, file_kind, usage, ai8x_*, max78_*; internal where
// the proof fails.
EDGETWIN_API Result<PlannedNetwork> plan(const std::string& description,
                                         const OpenOptions& options);

}  // namespace edgetwin
