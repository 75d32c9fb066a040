// What a tuning run has reached after an epoch: enough to go on with the next one. Its file is a
// checkpoint as PyTorch has them: `state_dict` holds the parameters by name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "train/optim/optimizer.h"
#include "train/tune/target_loss.h"

namespace edgetwin::train {

struct TuneEpoch {
  int epoch = 0;
  bool quantized = true;  // false: in float, and so is the validation
  double rate = 0, train_loss = 0, train_top1 = 0, seconds = 0;
  PartScore validation;               // of the integer network
  std::vector<std::string> warnings;  // layers whose sums left the chip's lanes
};

using ParameterSet = std::map<std::string, std::vector<float>>;

struct TuneState {
  int epoch = -1;          // the last whole one
  bool quantized = false;  // its phase
  OptimizerKind optimizer_kind = OptimizerKind::sgd;
  ParameterSet parameters;
  ParameterSet planned;  // those that the exponents were found for; float epochs: empty
  ParameterSet best;     // float epochs: empty
  std::map<std::string, OptimizerState> optimizer;
  std::vector<TuneEpoch> epochs;
  int best_epoch = -1;
  PartScore ptq_validation, best_validation, float_test, ptq_test;
  std::string log;  // of the run so far
};

Result<Bytes> write_state(const TuneState& state);
// Errors: those of reading checkpoints, train_checkpoint where it is not one of this kind,
// train_checkpoint_entry.
Result<TuneState> read_state(Bytes data, const std::string& file);

}  // namespace edgetwin::train
