#include "train/layers/fold.h"

#include <cmath>

namespace edgetwin::train {

void fold_batch_norm(LayerParameters& parameters, const Window& window, bool transposed,
                     float epsilon, float part) {
  if (!parameters.norm) return;
  const BatchNorm norm = *parameters.norm;
  const auto channels = static_cast<size_t>(transposed ? window.second : window.first);
  const auto taps = static_cast<size_t>(window.kernel.h * window.kernel.w);
  const auto each = static_cast<size_t>(window.second / window.groups);
  const auto firsts = static_cast<size_t>(window.first / window.groups);
  if (parameters.bias.empty()) parameters.bias.assign(channels, 0.0F);
  std::vector<float> factors;
  for (size_t c = 0; c < channels; ++c) {
    const float scale = norm.affine() ? part * norm.scale[c] : part;
    const float offset = norm.affine() ? part * norm.offset[c] : 0.0F;
    const float inverse = 1.0F / std::sqrt(norm.variance[c] + epsilon);
    factors.push_back(scale * inverse);
    parameters.bias[c] = ((parameters.bias[c] - norm.mean[c]) * inverse) * scale + offset;
  }
  for (size_t i = 0; i < parameters.weights.size(); ++i) {
    const size_t first = i / taps / each;
    const size_t second = first / firsts * each + i / taps % each;
    parameters.weights[i] *= factors[transposed ? second : first];
  }
  parameters.norm.reset();
}

}  // namespace edgetwin::train
