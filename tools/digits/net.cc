#include "net.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace edgetwin::digits {

Net make_net(Rng& rng) {
  Net net;
  net.layers = digit_topology();
  for (const Layer& layer : net.layers) {
    Parameters parameters;
    if (layer.has_weights()) {
      const int count = layer.fan_in() * layer.out.c;
      const float limit = std::sqrt(6.0f / static_cast<float>(layer.fan_in()));
      for (int i = 0; i < count; ++i) parameters.weight.push_back(rng.between(-limit, limit));
      parameters.bias.assign(static_cast<std::size_t>(layer.out.c), 0.0f);
    }
    net.parameters.push_back(std::move(parameters));
  }
  return net;
}

Tensors make_tensors(const Net& net) {
  Tensors tensors{std::vector<float>(kPixels, 0.0f)};
  for (const Layer& layer : net.layers) {
    tensors.emplace_back(static_cast<std::size_t>(layer.out.size()), 0.0f);
  }
  return tensors;
}

std::vector<Parameters> make_gradients(const Net& net) {
  std::vector<Parameters> gradients;
  for (const Parameters& parameters : net.parameters) {
    Parameters zero;
    zero.weight.assign(parameters.weight.size(), 0.0f);
    zero.bias.assign(parameters.bias.size(), 0.0f);
    gradients.push_back(std::move(zero));
  }
  return gradients;
}

void forward(const Net& net, const Picture& picture, Tensors& tensors) {
  std::transform(picture.grey.begin(), picture.grey.end(), tensors[0].begin(),
                 [](std::uint8_t grey) { return static_cast<float>(grey) / 255.0f; });
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    layer_forward(net.layers[i], net.parameters[i], tensors, tensors[i + 1]);
  }
}

float backward(const Net& net, const Tensors& tensors, int label, Tensors& gradients,
               std::vector<Parameters>& sums) {
  for (std::vector<float>& gradient : gradients) std::fill(gradient.begin(), gradient.end(), 0.0f);
  // Softmax and cross-entropy together have the gradient p - one_hot(label) at the logits.
  const std::size_t last = net.layers.size() - 1;
  gradients[last] = tensors[last + 1];
  gradients[last][static_cast<std::size_t>(label)] -= 1.0f;
  for (std::size_t i = last; i-- > 0;) {
    layer_backward(net.layers[i], net.parameters[i], tensors, tensors[i + 1], gradients[i + 1],
                   gradients, sums[i]);
  }
  return 1.0f - tensors[last + 1][static_cast<std::size_t>(label)];
}

}  // namespace edgetwin::digits
