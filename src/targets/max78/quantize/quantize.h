// Float checkpoints to the integers that MAX78000 and MAX78002 compute with, by the rules of the
// vendor's quantizer. docs/formats/ai8x.md, "Quantization"; specification max7800x-numerics,
// 10, 11.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/ai8x/network.h"
#include "formats/torch/checkpoint.h"

namespace edgetwin::max78 {

// Where the scale of a layer's weights comes from. The names are the vendor's, in lower case.
enum class ClipMethod : uint8_t {
  max_bit_shift,  // from quantization-aware training: the power of two that the largest value needs
  avgmax,         // the mean over output channels of their largest and smallest weight
  max,            // the largest magnitude
  stddev,         // so many standard deviations around the mean
  scale,          // a constant
};
std::string_view name(ClipMethod method);  // "MAX_BIT_SHIFT", "AVGMAX", ...
// Without regard to case. AVG, of older documents of the vendor, whose tool never had it, is
// AVGMAX.
std::optional<ClipMethod> clip_method(std::string_view name);

struct QuantizeOptions {
  ClipMethod method = ClipMethod::max_bit_shift;
  double scale = 0.85;             // of ClipMethod::scale
  double deviations = 2.0;         // of ClipMethod::stddev
  std::optional<int> weight_bits;  // 1, 2, 4 or 8, where the checkpoint has none
  // A description whose `quantization` comes before what the checkpoint says; may be null.
  const ai8x::Network* network = nullptr;
  // The description's `output_shift` gives a layer its factor, as in training. The vendor's
  // quantizer does not look at it.
  bool described_shifts = false;
  // The vendor's quantizer takes the n-th layer of the description for the n-th weights, also where
  // layers without weights stand before it. Here only those with weights count, unless this is set.
  bool upstream_bugs = false;
  bool fold_batch_norm = true;  // before quantizing, if there is anything to fold
  double bn_epsilon = 1e-20;    // added to the variance: the training code, when it folds, has 1e-5
};

struct QuantizedLayer {
  std::string name;  // of the weights: "conv1.op.weight"
  int bits = 8;
  double factor = 1;         // weights were multiplied by it, before rounding
  std::optional<int> shift;  // the new output_shift; empty: the stored one stays
  bool has_bias = false;
  int64_t clipped = 0;  // weights that reached the limits of their bits
};

struct Quantization {
  std::optional<torch::Checkpoint> checkpoint;  // only if report.ok()
  std::vector<QuantizedLayer> layers;
  size_t folded = 0;  // layers whose batch normalization went into their weights
  ai8x::Report report;
};

// The checkpoint with integer weights and biases (as float32, a bias times 2^(bits - 1)), new
// output_shift, weight_bits and bias_bits, and `extras` that say how. All other entries stay.
Quantization quantize(torch::Checkpoint checkpoint, const QuantizeOptions& options = {});

// Batch normalization into the convolution before it, for every "<layer>.bn.running_mean" of the
// state: w * g / s and (b - mean) * g / s + h with g = weight / 4, h = bias / 4 and
// s = sqrt(running_var + epsilon); the training graph divides by 4 after it. The .bn entries are
// removed. Gives the names of the layers folded. Error: ai8x_fold.
Result<std::vector<std::string>> fold_batch_norm(torch::Checkpoint& checkpoint,
                                                 double epsilon = 1e-20);

}  // namespace edgetwin::max78
