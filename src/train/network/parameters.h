// The parameters of a network under the names that checkpoints have: "conv1.op.weight".
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tensor/shape.h"
#include "train/network/model.h"

namespace edgetwin::train {

// One trained parameter. `gradient` is null where none were given.
struct ParameterRef {
  std::string name;
  Shape shape;
  std::vector<float>* values;
  const std::vector<float>* gradient;
};

// Calls visit for each trained parameter: layers in order; weights, bias, scale and offset of batch
// norm. `gradients` may be null.
void for_each_parameter(Model& model, const std::vector<LayerGradients>* gradients,
                        const std::function<void(const ParameterRef&)>& visit);

// The shape of a layer's weights as checkpoints have it.
Shape weight_shape(const LayerSpec& spec);

enum class InitKind : unsigned char {
  uniform,     // weights and biases within 1 / sqrt(fan_in), as PyTorch's modules
  he_fan_out,  // convolutions normal with variance 2 / (out * k * k), biases 0
};

// New parameters for all layers, drawn by layer from the seed; `others`: kinds by the layer's name.
void initialize(Model& model, uint64_t seed, InitKind kind = InitKind::uniform,
                const std::map<std::string, InitKind>& others = {});

}  // namespace edgetwin::train
