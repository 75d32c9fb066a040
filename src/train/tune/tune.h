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
#include "train/tune/tuned_network.h"
#include "train/tune/twin_score.h"

namespace edgetwin::train {

enum class TuneMethod : uint8_t {
  qat,       // all parameters by the loss of the labels
  steps,     // weights by blocks, against the float network
  rounding,  // each weight up or down by blocks, against the float network
};

struct TuneSettings {
  TuneMethod method = TuneMethod::qat;
  int epochs = 10, batch = 32;
  int qat_start = 0;  // epochs before it are in float, and exponents are found after them
  // Those of the published script for detectors.
  OptimizerOptions optimizer = {OptimizerKind::sgd, 1e-6, 0.937, 1e-8, 5e-4};
  std::optional<SchedulePolicy> schedule;  // without it the rate stays
  uint64_t seed = 0;
  int threads = 1;
  std::optional<int> patience;
  int block_steps = 0;  // of methods by blocks; 0: the method's own
  int block_size = 4;   // operators of a block, at most
  std::optional<double> block_rate;
  std::function<bool()> stopped;
  std::function<void(const std::string&)> log;
  ProgressSink progress;
};

struct TuneEpoch {
  int epoch = 0;
  bool quantized = true;  // false: in float, and so is the validation
  double rate = 0, train_loss = 0, train_top1 = 0, seconds = 0;
  PartScore validation;               // of the integer network
  std::vector<std::string> warnings;  // layers whose sums left the chip's lanes
};

struct BlockResult {
  std::string block;             // its first and last operator
  double before = 0, after = 0;  // mean square distance from the float network
  bool kept = false;
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
  bool interrupted = false;
  bool judged = false;  // there were items with targets
};

// With items (method qat needs them). Errors: train_label, train_data_shape, train_not_finite,
// train_operator, those of lowering.
Result<TuneResult> tune(quantize::Planned planned, const ItemSets* sets,
                        const std::vector<quantize::Sample>& samples, const TuneSettings& settings);

}  // namespace edgetwin::train
