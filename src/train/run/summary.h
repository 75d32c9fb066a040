// What a run has read and starts with, in lines for its log.
#pragma once

#include <string>

#include "train/run/setup.h"

namespace edgetwin::train {

std::string shape_text(int channels, int height, int width);

// Form, shape and parts of the data, classes with their counts, what is unusual.
std::string summary_of(const RunSettings& settings, const Setup& setup);

// Layers with shapes, parameters and products per item.
std::string layers_text(const Model& model);

// Of an epoch on one thread with AVX2: from the products of the forward pass alone.
double estimated_seconds(const Setup& setup);

}  // namespace edgetwin::train
