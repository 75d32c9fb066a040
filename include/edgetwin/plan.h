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

#include "edgetwin/compile.h"
#include "edgetwin/export.h"
#include "edgetwin/network.h"

namespace edgetwin {

struct PlanOptions {
  // What is least: "latency" (estimated cycles), "energy" (groups of processors that are on, times
  // cycles) or "memory" (bytes of data and kernels).
  std::string objective = "latency";
  // Of a float network: data to calibrate with, as QuantizeOptions::calibrate. Without any,
  // pseudo-random inputs stand in, and a finding says so.
  std::vector<std::string> calibrate;
};

struct PlannedNetwork {
  const Target* target = nullptr;
  // False: there is no plan; `findings` say what binds, with the calculation, and a change that was
  // planned and fits.
  bool fits = false;
  std::vector<Finding> findings;
  std::string description;   // the whole .yaml: what was written, and what was planned
  int attempts = 0;          // placements that were judged
  int64_t cycles = 0;        // estimated; 0: no law is known for the chip
  int groups = 0;            // of 16 processors, that are in use
  int64_t data_bytes = 0;    // of the sixteen data memories, each up to its last byte in use
  int64_t kernel_bytes = 0;  // of kernel memory
  // Of a float network: NAME.yaml (the description), NAME.pth.tar, sample_NAME.npy. Of a
  // description whose layers were planned in another order: network.pth.tar, its checkpoint.
  std::vector<MadeFile> files;
  // Of the proof: values of all layers that the machine, which executes the plan's register
  // program, has as the twin has them.
  int64_t values_equal = 0;
};

// `network` is a description (.yaml), or a float network (.onnx), which is quantized first.
// Required: target; of a description parameters (checkpoint, or weights and bias) and sample.
// Errors: file_*, file_kind, usage, ai8x_*, max78_*, those of quantize_network(); internal where
// the proof fails.
EDGETWIN_API Result<PlannedNetwork> plan(const std::string& network, const OpenOptions& options,
                                         const PlanOptions& wishes = {});

}  // namespace edgetwin
