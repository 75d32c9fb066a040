#include "targets/edgetpu/decompile/layers/add_weights.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace edgetwin::edgetpu {
namespace {

int zero_point_of(const LayerSearch& search, const Operand& o) {
  if (o.from.empty()) return 0;
  return zero_point_of(search.result.layers, search.inference, o.from.front()).value_or(0);
}

bool is_input(const Operand& o) {
  return o.from.size() == 1 && o.from.front() < 0 && o.from.front() > kConstantProducer;
}

// Two inputs that one buffer brings: those whose zero points make the constant, if there are only
// these.
void tell_inputs(const LayerSearch& search, DecompiledLayer& layer) {
  if (layer.inputs.size() != 2 || !is_input(layer.inputs[0]) || !is_input(layer.inputs[1])) return;
  const auto& inputs = search.inference.inputs;
  std::vector<std::pair<size_t, size_t>> found;
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t k = 0; k < inputs.size(); ++k) {
      const bool usable = i != k && inputs[i].numerics && inputs[k].numerics &&
                          inputs[i].z_dim == layer.in.c && inputs[k].z_dim == layer.in.c;
      if (!usable) continue;
      const int64_t made = -(int64_t{layer.add_weight[0]} * inputs[i].numerics->zero_point +
                             int64_t{layer.add_weight[1]} * inputs[k].numerics->zero_point);
      if (made == layer.numbers.constant) found.emplace_back(i, k);
    }
  }
  const bool either = layer.add_weight[0] == layer.add_weight[1] && found.size() == 2;
  if (found.size() != 1 && !either) return;
  layer.inputs[0].from = {input_producer(found[0].first)};
  layer.inputs[1].from = {input_producer(found[0].second)};
}

}  // namespace

void find_add_weights(const LayerSearch& search, DecompiledLayer& layer) {
  const auto& patterns = search.stages()[layer.stages.front()].patterns;
  std::vector<int> found;
  const int zero = layer.numbers.weight_zero_point;
  for (const uint32_t p : patterns) {
    // With a zero point they are none below 0.
    const int low = (zero != 0 ? int{static_cast<uint16_t>(p & 0xFFFFU)}
                               : int{static_cast<int16_t>(p & 0xFFFFU)}) -
                    zero;
    const int high =
        (zero != 0 ? int{static_cast<uint16_t>(p >> 16U)} : int{static_cast<int16_t>(p >> 16U)}) -
        zero;
    if (low == 0 || high != 0) continue;
    if (std::find(found.begin(), found.end(), low) == found.end()) found.push_back(low);
  }
  if (found.empty() || found.size() > 2) {
    layer.problem = "the weights of the addition were not found";
    return;
  }
  layer.add_weight[0] = found.front();
  layer.add_weight[1] = found.back();
  // The constant of the instruction tells which weight is whose: -(w1 * z1 + w2 * z2).
  const auto constant = [&](int first, int second) {
    return -(int64_t{layer.add_weight[first]} * zero_point_of(search, layer.inputs[0]) +
             int64_t{layer.add_weight[second]} * zero_point_of(search, layer.inputs[1]));
  };
  const bool usual = constant(0, 1) == layer.numbers.constant;
  if (usual) return;
  if (layer.inputs.size() == 2 && constant(1, 0) == layer.numbers.constant) {
    std::swap(layer.add_weight[0], layer.add_weight[1]);
    return;
  }
  tell_inputs(search, layer);
}

}  // namespace edgetwin::edgetpu
