// The integer network of a model: what the chip's twin computes of it. Specification: training, 15.
#pragma once

#include "base/bytes.h"
#include "train/checkpoint/write.h"
#include "train/run/setup.h"
#include "train/score/evaluate.h"

namespace edgetwin::train {

// All rules of the chip for a network of these shapes, before the first step. Error: train_rules
// with what breaks them.
Status check_rules(const RunSettings& settings, const Setup& setup);

// The checkpoint with the integers of a model, by the rules of `quantize`, and what it states
// besides. Error: train_quantizer where its shift of a layer is not that of the model's forward
// pass; ai8x errors.
Result<Bytes> quantized_checkpoint(const ai8x::Network& network, const Model& model,
                                   Progress stated = {});

// What a real output is multiplied by to be the integer of the chip.
double output_unit(const Model& model);

// Runs the twin on a part of the items; `each` gets the integers of the last layer in the order
// (channels, rows, columns). Errors: train_rules, those of `each`.
Status run_twin(const RunSettings& settings, const Setup& setup, const Bytes& quantized,
                const DataSet& data, std::span<const uint32_t> indices,
                const std::function<Status(size_t, const std::vector<double>&)>& each);

struct TwinComparison {
  int64_t items = 0, equal = 0;
};

// Outputs of the quantized forward pass for all test items (item, channel, row, column).
struct TrainedOutputs {
  std::span<const float> real;
  std::span<const int32_t> sums;  // the integers, where binary32 could round them; else empty
};

// Runs the twin with the quantized checkpoint on all test items and compares every output. Error:
// train_twin with item, position and both values.
Result<TwinComparison> compare_with_twin(const RunSettings& settings, const Setup& setup,
                                         const Model& model, const Bytes& quantized,
                                         const TrainedOutputs& trained);

}  // namespace edgetwin::train
