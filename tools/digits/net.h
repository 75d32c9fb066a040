// The float network: topology and parameters, one picture forward, one picture backward.
#pragma once

#include <vector>

#include "layers.h"
#include "picture.h"
#include "rng.h"
#include "topology.h"

namespace edgetwin::digits {

struct Net {
  std::vector<Layer> layers;
  std::vector<Parameters> parameters;  // one per layer, empty where the layer has none
};

// Fresh weights, uniform with the variance that keeps the signal's size behind a ReLU; biases zero.
Net make_net(Rng& rng);

// Vectors of the right sizes, zero.
Tensors make_tensors(const Net& net);
std::vector<Parameters> make_gradients(const Net& net);

// Runs the whole network on picture/255.
void forward(const Net& net, const Picture& picture, Tensors& tensors);

// Adds one picture's gradient of the cross-entropy to `sums`; `tensors` come from forward().
// Returns the loss's proxy 1 - p(label), which needs no logarithm.
float backward(const Net& net, const Tensors& tensors, int label, Tensors& gradients,
               std::vector<Parameters>& sums);

// Index of the largest element, the first of equals.
template <typename T>
int top1(const std::vector<T>& values) {
  int best = 0;
  for (int i = 1; i < static_cast<int>(values.size()); ++i) {
    if (values[static_cast<std::size_t>(i)] > values[static_cast<std::size_t>(best)]) best = i;
  }
  return best;
}

}  // namespace edgetwin::digits
