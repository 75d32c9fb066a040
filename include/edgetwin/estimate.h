// Time, energy and room of a network on a chip, before there is a board: estimates, never
// measurements. Every number is a range, says what it is based on, and is absent with a reason
// where nothing public supports one. docs/estimate.md has formulas, sources and residuals.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/network.h"

namespace edgetwin {

struct EstimateRange {
  double low = 0, mid = 0, high = 0;
};

// Where a number that was assumed for the estimate comes from.
struct EstimateAssumption {
  std::string name;   // "clock_mhz"
  std::string value;  // "200"
  std::string from;   // "default", "user", "model"
};

struct EstimateBasis {
  std::string kind;   // "formula", "fitted" or "assumed"
  std::string model;  // "max78002-2"
  int fitted_on_rows = 0;
  double median_error_percent = 0, largest_error_percent = 0;
  std::string data;  // what was fitted on
};

struct EstimatePhase {
  std::string name;   // load_weights, load_input, inference, unload
  bool once = false;  // not for each inference
  std::optional<EstimateRange> ms, energy_uj;
  std::string reason;  // why a number is absent
};

struct EstimateFeature {
  std::string name;
  double value = 0;
};

struct EstimateLayer {
  int index = 0;
  std::string name, op, output;  // "layer 3", "conv2d", "16x128x128"
  int64_t macs = 0;
  std::optional<int64_t> cycles;  // exact or as fitted, see EstimateBasis
  double ms = 0, share = 0;
  std::string bound;  // compute, memory, transfer, overhead
  std::vector<EstimateFeature> features;
};

struct EstimatePart {
  std::string what;
  int64_t bytes = 0;
};

struct EstimateRegion {
  std::string name;
  int64_t need = 0, have = 0;
  std::vector<EstimatePart> parts;
  int64_t left() const { return have - need; }
};

struct EstimatePlacement {
  std::string tensor, region;
  int64_t offset = 0, bytes = 0;
  int first = 0, last = 0;            // steps; last: -1 where it never ends
  std::optional<std::string> shares;  // the tensor whose memory it uses
};

struct EstimateMemory {
  std::string verdict;  // fits, tight, no
  std::string reason;   // the line that fails or is tight, with its calculation
  std::vector<EstimateRegion> regions;
  std::vector<EstimatePlacement> placement;
};

struct EstimateHint {
  std::string id, text;
};

struct Estimate {
  std::string target;
  std::optional<std::string> board;
  std::vector<EstimateAssumption> assumptions;
  std::optional<EstimateRange> latency_ms;
  std::string latency_reason;  // where there is none
  EstimateBasis basis;
  std::vector<EstimatePhase> phases;
  std::optional<EstimateRange> energy_uj;
  std::string energy_reason;
  std::vector<EstimateLayer> layers;
  std::string outside;       // what is not in any layer, for the table
  double outside_ms = 0;     // its time
  int64_t start_cycles = 0;  // of `cycles`, outside all layers
  EstimateMemory memory;
  std::vector<std::string> not_modelled;
  std::vector<EstimateHint> hints;
  std::string headline;  // "MAX78002 at 200 MHz"

  bool fits() const { return memory.verdict != "no"; }
};

struct EstimateOptions {
  // target is required where the file does not tell it; parameters, sample and options as of a
  // run. Without parameters a network description is estimated with stand-ins, which is said.
  OpenOptions open;
  std::string board;                // a row of the boards; empty: the family's default
  std::optional<double> clock_mhz;  // empty: the chip's default
  std::string runtime;              // ESP-DL: tree, current
  std::string host;                 // Edge TPU: usb3, usb2, pcie, rpi4
  std::optional<int> cores;         // ESP: 1, 2
  std::string input;                // MAX: fifo, memory
  std::string core;                 // MAX: arm, riscv
  std::string model_in;             // ESP: flash, xip, sdcard
  std::optional<bool> param_copy;   // ESP: parameters copied to PSRAM
  std::optional<int64_t> internal;  // ESP: max_internal_size
  std::optional<int64_t> reserve;   // ESP: bytes of the program in PSRAM
  bool layers = true;
};

// Errors: usage (unknown board with the list, clock out of range, an option that the target does
// not have), file_kind (a float network: with the line that quantizes it), and those of the
// readers.
EDGETWIN_API Result<Estimate> estimate(const std::string& file, const EstimateOptions& options);
EDGETWIN_API Result<Estimate> estimate(ByteSpan bytes, const std::string& name,
                                       const EstimateOptions& options);

// The whole as text for people: first line, phases, layers (with `layers`), memory, hints.
EDGETWIN_API std::string estimate_text(const Estimate& estimate, bool layers);
// The same as JSON, and the placement of tensors over time as a picture (SVG); empty: there is
// none.
EDGETWIN_API std::string estimate_json(const Estimate& estimate);
EDGETWIN_API std::string estimate_picture(const Estimate& estimate);

}  // namespace edgetwin
