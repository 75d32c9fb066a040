#include "targets/edgetpu/decompile/operands/layer.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace edgetwin::edgetpu {

std::string_view name(LayerType type) {
  static constexpr std::array<std::string_view, 18> kNames{"CONV_2D",
                                                           "DEPTHWISE_CONV_2D",
                                                           "FULLY_CONNECTED",
                                                           "ADD",
                                                           "MUL",
                                                           "AVERAGE_POOL_2D",
                                                           "MAX_POOL_2D",
                                                           "RESIZE_BILINEAR",
                                                           "SOFTMAX",
                                                           "LOGISTIC",
                                                           "TANH",
                                                           "QUANTIZE",
                                                           "RESHAPE",
                                                           "UNIDIRECTIONAL_SEQUENCE_LSTM",
                                                           "MAXIMUM",
                                                           "MINIMUM",
                                                           "CONCATENATION",
                                                           "not recovered"};
  return kNames[static_cast<size_t>(type)];
}

int pool_count(const DecompiledLayer& layer) {
  return layer.means.empty() ? layer.kernel_h * layer.kernel_w : layer.means.front().count;
}

bool has_weights(LayerType type) {
  return type == LayerType::conv || type == LayerType::depthwise || type == LayerType::dense;
}

bool has_windows(LayerType type) { return has_weights(type) || type == LayerType::concat; }

bool keeps_numbers(LayerType type) {
  return type == LayerType::resize || type == LayerType::reshape || type == LayerType::concat ||
         type == LayerType::max_pool || type == LayerType::maximum || type == LayerType::minimum;
}

std::optional<int> zero_point_of(const std::vector<DecompiledLayer>& layers,
                                 const darwinn::Executable& inference, Producer producer) {
  for (size_t depth = 0; producer >= 0 && depth < layers.size(); ++depth) {
    const DecompiledLayer& l = layers[static_cast<size_t>(producer)];
    if (!keeps_numbers(l.type) || l.inputs.empty() || l.inputs.front().from.empty()) {
      return l.numbers.output_zero_point;
    }
    producer = l.inputs.front().from.front();
  }
  const auto index = static_cast<size_t>(-1 - producer);
  if (producer >= 0 || index >= inference.inputs.size()) return std::nullopt;
  const auto& numerics = inference.inputs[index].numerics;
  if (!numerics) return std::nullopt;
  return numerics->zero_point;
}

bool adds(const DecompiledLayer& layer) {
  const Nest& n = layer.numbers;
  return layer.type == LayerType::quantize && (n.has_bias || (!n.function && n.constant != 0));
}

bool adds_number(const DecompiledLayer& layer) {
  const auto& bias = layer.content.bias;
  constexpr int kByte = 255;
  // A number of the instruction, or biases; larger ones are written as a layer's.
  return adds(layer) && !bias.empty() &&
         (!layer.numbers.has_bias || std::abs(int64_t{bias.front()}) <= kByte) &&
         std::all_of(bias.begin(), bias.end(), [&](int32_t b) { return b == bias.front(); });
}

}  // namespace edgetwin::edgetpu
