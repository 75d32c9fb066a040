#include "targets/edgetpu/decompile/layers/add_weights.h"

#include <algorithm>
#include <utility>

namespace edgetwin::edgetpu {
namespace {

int zero_point_of(const LayerSearch& search, const Operand& o) {
  if (o.from.empty()) return 0;
  return zero_point_of(search.result.layers, search.inference, o.from.front()).value_or(0);
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
  if (!usual && layer.inputs.size() == 2 && constant(1, 0) == layer.numbers.constant) {
    std::swap(layer.add_weight[0], layer.add_weight[1]);
  }
}

}  // namespace edgetwin::edgetpu
