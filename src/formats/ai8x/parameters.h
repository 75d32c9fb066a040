// The integer parameters of a network, from a checkpoint or from rows of .npy arrays.
// docs/formats/ai8x.md, "Parameters"; specification max7800x-network, chapter 3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/ai8x/network.h"
#include "formats/torch/checkpoint.h"

namespace edgetwin::ai8x {

struct ParameterOptions {
  bool no_bias = false;             // --no-bias without a list: no layer has a bias
  std::vector<int> no_bias_layers;  // --no-bias with a list
  int skip_checkpoint_layers = 0;   // so many weights of the checkpoint are passed over
  bool ignore_batch_norm = false;   // --ignore-bn: such entries are passed over with a warning
};

struct ParameterReading {
  std::optional<Parameters> parameters;  // only if report.ok(); one entry for each layer
  Report report;
  std::string arch;  // of the checkpoint
  std::optional<int64_t> epoch;
};

// Matches by position, as the vendor's loader does: the n-th weights of `state_dict` belong to the
// n-th layer that takes weights. LayerParameters::source tells what became of it.
ParameterReading read_checkpoint(const Network& network, const torch::Checkpoint& checkpoint,
                                 const ParameterOptions& options = {});

// Arrays one after the other, one for each layer that takes weights; a single array has the layers
// along its first axis. An empty `weights` is no array. Biases likewise; `bias` may be empty.
// The file names are for messages.
ParameterReading read_arrays(const Network& network, ByteSpan weights,
                             const std::string& weights_file, ByteSpan bias,
                             const std::string& bias_file, const ParameterOptions& options = {});

// What became of each layer, one line for each: "layer 0 'conv1': conv2d 3x3, 3 -> 16 channels, 8
// bits, shift -1, bias; from conv1.op.weight". For `info`.
std::string match_text(const Network& network, const Parameters& parameters);

}  // namespace edgetwin::ai8x
