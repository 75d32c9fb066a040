// Tuning of an ONNX network for ESP-DL: quantization after training first, then epochs with
// quantization in the forward pass, exponents fixed. The best epoch is that of the best score of
// the integer network in the chip's arithmetic. Specification: training, 16.
#pragma once

#include <functional>
#include <optional>

#include "base/progress.h"
#include "train/optim/optimizer.h"
#include "train/optim/schedule.h"
#include "train/tune/items.h"
#include "train/tune/tune_state.h"
#include "train/tune/tuned_network.h"
#include "train/tune/twin_score.h"

namespace edgetwin::train {

enum class TuneMethod : uint8_t {
  qat,         // all parameters by the loss of the labels
  thresholds,  // weights and exponents by blocks, against the float network
  steps,       // weights by blocks, against the float network
  rounding,    // each weight up or down by blocks, against the float network
};

struct TuneResult;

struct TuneSettings {
  TuneMethod method = TuneMethod::qat;
  int epochs = 10, batch = 32;
  int qat_start = 0;  // epochs before it are in float, and exponents are found after them
  // Those of the published script for detectors.
  OptimizerOptions optimizer = {OptimizerKind::sgd, 1e-6, 0.937, 1e-8, 5e-4};
  std::optional<SchedulePolicy> schedule;  // without it the rate stays
  // Of the method qat: exponents are trained with the parameters, by the loss of the labels.
  bool train_exponents = false;
  uint64_t seed = 0;
  int threads = 1;
  std::optional<int> patience;
  int block_steps = 0;  // of methods by blocks; 0: the method's own
  int block_size = 4;   // operators of a block, at most
  std::optional<double> block_rate;
  std::function<bool()> stopped;
  std::function<void(const std::string&)> log;
  ProgressSink progress;
  std::optional<TuneState> resume;  // of the method qat: what an earlier run has reached
  // After each epoch of the method qat, with what it takes to go on from there (but for its log).
  std::function<Status(const TuneResult&, TuneState)> after_epoch;
};

struct BlockResult {
  std::string block;             // its first and last operator
  double before = 0, after = 0;  // mean square distance from the float network
  bool kept = false;
  int exponents = 0;  // that changed, of the method thresholds
};

struct TuneResult {
  quantize::Planned planned;  // with the best parameters
  quantize::Quantized quantized;
  OutputForm form;
  std::vector<TuneEpoch> epochs;
  std::vector<BlockResult> blocks;
  int best_epoch = -1;  // -1: quantization after training was not surpassed
  PartScore ptq_validation, best_validation;
  PartScore float_test, ptq_test, best_test;  // the last two of integer networks
  size_t equal_items = 0;  // test items on which forward pass and integer network agree in each bit
  bool interrupted = false;  // of the method qat: there is nothing after the last epoch
  bool judged = false;       // there were items with targets
};

// With items (method qat needs them). A resumed run ends as one that was never left. Errors:
// train_label, train_data_shape, train_not_finite, train_operator, train_checkpoint_shape where the
// state is of another network, those of lowering and of settings.after_epoch.
Result<TuneResult> tune(quantize::Planned planned, const ItemSets* sets,
                        const std::vector<quantize::Sample>& samples, const TuneSettings& settings);

}  // namespace edgetwin::train
