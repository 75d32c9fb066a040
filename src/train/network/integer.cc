#include "train/network/integer.h"

#include "train/layers/weights.h"
#include "train/network/arrange.h"

namespace edgetwin::train {

IntegerParameters integer_parameters(const Model& model, size_t layer) {
  const LayerParameters& p = model.parameters[layer];
  const WeightScale scale = weight_scale(p.weights, p.bias, model.quantization[layer]);
  return {.weights = quantized_integers(p.weights, scale),
          .bias = quantized_integers(p.bias, scale),
          .shift = chip_shift(scale, model.quantization[layer]),
          .bits = scale.bits};
}

std::vector<IntMaps> integer_forward(const Model& model, const IntMaps& input, ThreadPool& pool) {
  std::vector<IntMaps> outputs;
  for (size_t i = 0; i < model.network.layers.size(); ++i) {
    const NetworkLayer& layer = model.network.layers[i];
    std::vector<const IntMaps*> sources;
    for (const int s : layer.sources) {
      sources.push_back(s < 0 ? &input : &outputs[static_cast<size_t>(s)]);
    }
    std::vector<IntMaps> moved;
    if (!reads_directly(layer)) {
      moved = arranged(layer, sources);
      sources.clear();
      for (const IntMaps& m : moved) sources.push_back(&m);
    }
    outputs.push_back(integer_forward(layer.spec, sources,
                                      integer_parameters(model, model.network.owner(i)), pool));
  }
  return outputs;
}

}  // namespace edgetwin::train
