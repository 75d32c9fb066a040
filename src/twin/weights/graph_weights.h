// Weights of a graph on the twin: a constant that is replaced.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "edgetwin/weights.h"
#include "graph/graph.h"

namespace edgetwin::twin {

// The operator of the first layer that has weights of int8; null: there is none, or the first layer
// with weights has others.
const Op* exchangeable_layer(const Graph& graph);

// Where shapes of that layer's weights have their rows (output channels), and the scale of each.
int row_axis(const Op& layer);
std::vector<float> row_scales(const Op& layer, const Value& weights);

// Error: module_weights for another number of weights or scales, or scales that are not above 0.
Status check_weights(const Shape& shape, size_t given);
Status check_scales(std::span<const float> scales, size_t rows);

// Plans a model, which then computes from the next run on.
using Replan = std::function<Status(std::shared_ptr<const Model>)>;
// Null where the model has no such layer.
std::unique_ptr<Weights> graph_weights(std::shared_ptr<const Model> model, Replan replan);

}  // namespace edgetwin::twin
