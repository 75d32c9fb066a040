// A whole network in the integers of the chip, by the plain loops of layers/integer.h.
#pragma once

#include "train/layers/integer.h"
#include "train/network/model.h"

namespace edgetwin::train {

// Integers and shift of a layer's parameters, as the quantized forward pass has them.
IntegerParameters integer_parameters(const Model& model, size_t layer);

// The outputs of all layers for inputs of -128 .. 127.
std::vector<IntMaps> integer_forward(const Model& model, const IntMaps& input, ThreadPool& pool);

}  // namespace edgetwin::train
