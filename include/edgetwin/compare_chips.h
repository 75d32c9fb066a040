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
  // What is finished of a chip is kept in files whose names begin with this, and a second start
  // goes on with it. Empty: nothing is kept. remove_comparison_journals() after the page is
  // written.
  std::string journal = {};
};

// Pictures whose best class is the true one, with the 95 % interval.
struct ChipAccuracy {
  int64_t right = 0, count = 0;
  double value = 0, low = 0, high = 0;
};

// The best class of one sample.
struct ChipAnswer {
  uint64_t index = 0;  // of the sample in the set
  int64_t best = 0;
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
  std::vector<ChipAnswer> answers;       // by index; only where they were counted
  std::vector<QuantizedLayerNoise> layers;
  int64_t bytes = 0;  // of the files that the chip loads
};

// A sample to which the float network and the chips do not all give the same class.
struct ComparedSample {
  uint64_t index = 0;
  std::string name;
  int64_t label = 0;                          // the true class
  int64_t real = 0;                           // of the float network
  std::vector<std::optional<int64_t>> chips;  // in the order of the chips; empty: not counted
};

struct ComparedNetwork {
  std::string file;
  std::vector<ComparedChip> chips;       // in the order of the targets
  std::optional<ChipAccuracy> accuracy;  // of the float network
  std::vector<ComparedSample> parted;    // where the chips disagree, by index
  std::vector<std::string> class_names;  // may be empty
  size_t resumed = 0;                    // chips that were taken from the journal
};

// A chip that cannot stays in the list with its reason. Errors: usage (unknown target, no
// calibration), part_other where the journal is one of another comparison, and those of reading the
// network and the calibration data.
EDGETWIN_API Result<ComparedNetwork> compare_chips(const std::string& network,
                                                   const CompareChipsOptions& options,
                                                   const ProgressSink& progress = nullptr);

// Once the page is written.
EDGETWIN_API Status remove_comparison_journals(const std::string& journal);

EDGETWIN_API std::string compare_chips_text(const std::vector<ComparedNetwork>& networks);
EDGETWIN_API std::string compare_chips_json(const std::vector<ComparedNetwork>& networks);
// One HTML file that needs no network. `command`: how to repeat it.
EDGETWIN_API std::string compare_chips_page(const std::vector<ComparedNetwork>& networks,
                                            const std::string& command);

}  // namespace edgetwin
