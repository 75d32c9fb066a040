// Parameters of a checkpoint into a model. Specification: training, 12.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/torch/checkpoint.h"
#include "train/network/model.h"

namespace edgetwin::train {

// The state of a checkpoint by name, without the prefix "module.".
class StoredState {
 public:
  // Error: train_checkpoint.
  static Result<StoredState> of(const torch::Checkpoint& checkpoint);

  // One per layer with weights of its own, in the order of the file.
  struct Layer {
    std::string name;
    Shape weights;
    bool bias = false, norm = false, affine = false;
    int bits = 0;        // weight_bits; 0: not quantized
    float quantile = 1;  // shift_quantile
  };
  const std::vector<Layer>& layers() const { return layers_; }
  // Quantization takes part in its forward pass.
  bool quantized() const { return quantized_; }
  // It is of the method of activation thresholds.
  bool thresholds() const { return thresholds_; }
  // Of the data that it was trained with; empty where it does not say.
  const std::string& normalisation() const { return normalisation_; }
  // Whether its means are rounded; empty where it does not say.
  std::optional<bool> average_rounding() const { return average_rounding_; }
  const std::string& arch() const { return arch_; }
  const std::string& file() const { return file_; }
  const Tensor* find(const std::string& name) const;

 private:
  std::map<std::string, Tensor> tensors_;
  std::vector<Layer> layers_;
  bool quantized_ = false, thresholds_ = false;
  std::optional<bool> average_rounding_;
  std::string arch_, file_, normalisation_;
};

// Output channels of a layer, from the shape of its weights.
int out_channels(const StoredState::Layer& layer, bool transposed);

// Sets parameters by name; layers have the bias and the batch norm that the checkpoint has. The
// model becomes quantized if the checkpoint is, and gets its method. Errors:
// train_checkpoint_shape, train_checkpoint_entry.
Status load_state(const StoredState& state, Model& model);

}  // namespace edgetwin::train
