// One float network to every chip: quantized for each by its own rules, proven as far as the chip's
// own program is there, estimated. docs/estimate.md, "All chips".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgetwin/estimate.h"
#include "edgetwin/evaluate.h"
#include "edgetwin/export.h"
#include "edgetwin/quantize.h"

namespace edgetwin {

struct CompareChipsOptions {
  std::vector<std::string> targets;  // empty, or "all": every chip that has an estimate
  QuantizeOptions quantize;          // calibration and so on; `target` is not looked at
  int threads = 1;                   // chips side by side; 1 to 256, changes no byte
  // A data set whose classes are counted: by the float network and by each chip's integers. Its
  // `task` is "classify"; mean and std are those of the quantization. None: nothing is counted.
  std::optional<EvaluateOptions> evaluate = {};
};

// Pictures whose best class is the true one, with the 95 % interval.
struct ChipAccuracy {
  int64_t right = 0, count = 0;
  double value = 0, low = 0, high = 0;
};

struct ComparedChip {
  std::string target;
  bool fits = false;
  std::string reason;                    // the first one why not; of one that fits what is tight
  std::string nearest;                   // the change that would make it fit
  std::optional<Estimate> estimate;      // none: the network did not become integers for the chip
  std::optional<bool> proven;            // empty: nothing to prove with, see `proof`
  std::string proof;                     // what was compared with what
  std::optional<double> output_noise;    // noise over signal at the outputs
  std::optional<ChipAccuracy> accuracy;  // top1; empty: not counted
  std::string accuracy_reason;           // ... and why, where it was asked for
  std::vector<QuantizedLayerNoise> layers;
  int64_t bytes = 0;  // of the files that the chip loads
};

struct ComparedNetwork {
  std::string file;
  std::vector<ComparedChip> chips;       // in the order of the targets
  std::optional<ChipAccuracy> accuracy;  // of the float network
};

// A chip that cannot stays in the list with its reason. Errors: usage (unknown target, no
// calibration), and those of reading the network.
EDGETWIN_API Result<ComparedNetwork> compare_chips(const std::string& network,
                                                   const CompareChipsOptions& options,
                                                   const ProgressSink& progress = nullptr);

EDGETWIN_API std::string compare_chips_text(const std::vector<ComparedNetwork>& networks);
EDGETWIN_API std::string compare_chips_json(const std::vector<ComparedNetwork>& networks);
// One HTML file that needs no network. `command`: how to repeat it.
EDGETWIN_API std::string compare_chips_page(const std::vector<ComparedNetwork>& networks,
                                            const std::string& command);

}  // namespace edgetwin
