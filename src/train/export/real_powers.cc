#include "train/export/real_powers.h"

#include "train/layers/weights.h"

namespace edgetwin::train {

RealPowers real_powers(const Model& model, size_t layer) {
  if (!model.quantized || model.method != QuantizationMethod::thresholds) return {};
  const size_t owner = model.network.owner(layer);
  const LayerQuantization& q = model.quantization[owner];
  const LayerParameters& p = model.parameters[owner];
  const WeightScale scale = weight_scale(p.weights, p.bias, q);
  if (model.network.layers[layer].spec.wide) return {0, q.final_scale - scale.shift};
  return {chip_shift(scale, q) - scale.shift, q.final_scale};
}

}  // namespace edgetwin::train
