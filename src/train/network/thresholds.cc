#include "train/network/thresholds.h"

#include <algorithm>
#include <numeric>

#include "train/layers/stages.h"
#include "train/layers/weights.h"

namespace edgetwin::train {
namespace {

// Sets of values that have one threshold. Value 0 is the network's input, value i + 1 the output of
// layer i.
class Groups {
 public:
  explicit Groups(size_t values) : parent_(values) {
    std::iota(parent_.begin(), parent_.end(), size_t{0});
  }

  size_t root(size_t value) const {
    while (parent_[value] != value) value = parent_[value];
    return value;
  }
  // The smaller value is the root, so that the input's group is 0.
  void join(size_t a, size_t b) {
    const size_t x = root(a), y = root(b);
    parent_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<size_t> parent_;
};

size_t value_of(int source) { return static_cast<size_t>(source + 1); }

Groups groups_of(const Network& network) {
  Groups groups(network.layers.size() + 1);
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const NetworkLayer& layer = network.layers[i];
    const size_t first = value_of(layer.sources[0]);
    for (const int s : layer.sources) groups.join(first, value_of(s));
    if (!layer.spec.has_weights()) groups.join(first, i + 1);
    const size_t owner = network.owner(i);
    if (owner == i) continue;
    groups.join(first, value_of(network.layers[owner].sources[0]));
    groups.join(i + 1, owner + 1);
  }
  return groups;
}

// Values that the sum they go into decides for.
std::vector<bool> operands_of_sums(const Network& network) {
  std::vector<bool> result(network.layers.size() + 1);
  for (const NetworkLayer& layer : network.layers) {
    if (layer.spec.eltwise == ai8x::Eltwise::none) continue;
    for (const int s : layer.sources) result[value_of(s)] = true;
  }
  return result;
}

bool is_read(const Network& network, size_t i) {
  return std::any_of(network.layers.begin(), network.layers.end(), [i](const NetworkLayer& layer) {
    return std::find(layer.sources.begin(), layer.sources.end(), static_cast<int>(i)) !=
           layer.sources.end();
  });
}

// What makes the output real again. A 32-bit output is not multiplied by the layer's shift, so the
// factor has the shift of the start.
int final_scale(const Model& model, size_t i, const LayerScales& scales) {
  if (!model.network.layers[i].spec.wide) return scales.output;
  const size_t owner = model.network.owner(i);
  const LayerParameters& p = model.parameters[owner];
  return scales.input + weight_scale(p.weights, p.bias, model.quantization[owner]).shift;
}

}  // namespace

std::vector<LayerScales> layer_scales(const Network& network,
                                      std::span<const ValueThresholds> found) {
  const Groups groups = groups_of(network);
  const std::vector<bool> operands = operands_of_sums(network);
  std::vector<std::optional<int>> of_group(network.layers.size() + 1);
  const auto raise = [&](size_t value, int logarithm) {
    std::optional<int>& largest = of_group[groups.root(value)];
    largest = std::max(largest.value_or(logarithm), logarithm);
  };
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const NetworkLayer& layer = network.layers[i];
    if (layer.spec.eltwise != ai8x::Eltwise::none) {
      raise(value_of(layer.sources[0]), found[i].sum);
    }
    if (layer.spec.has_weights() && !layer.spec.wide && !operands[i + 1]) {
      raise(i + 1, found[i].output);
    }
  }
  of_group[0] = 0;  // the input is what the chip reads
  std::vector<LayerScales> result;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const size_t read = groups.root(value_of(network.layers[i].sources[0]));
    result.push_back({of_group[read].value_or(0), of_group[groups.root(i + 1)].value_or(0)});
  }
  return result;
}

void apply_thresholds(Model& model, std::span<const ValueThresholds> found) {
  const Network& network = model.network;
  const std::vector<LayerScales> scales = layer_scales(network, found);
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const LayerSpec& spec = network.layers[i].spec;
    if (!spec.has_weights() || network.owner(i) != i) continue;
    for (float& b : model.parameters[i].bias) b *= power_of_two(-scales[i].input);
    if (!spec.wide) model.quantization[i].threshold = scales[i].output - scales[i].input;
  }
  for (size_t i = 0; i < network.layers.size(); ++i) {
    if (!network.layers[i].spec.has_weights() || is_read(network, i)) continue;
    model.quantization[network.owner(i)].final_scale = final_scale(model, i, scales[i]);
  }
}

}  // namespace edgetwin::train
