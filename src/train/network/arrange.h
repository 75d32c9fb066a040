// Data moves in front of a layer: joining along channels, cropping, viewing; and their gradients.
// Specification: training, 2.
#pragma once

#include <vector>

#include "train/network/network.h"

namespace edgetwin::train {

// True if the layer reads its sources as they are.
bool reads_directly(const NetworkLayer& layer);

// What the input stage of the layer reads: one, or one per operand.
template <class T>
std::vector<MapsOf<T>> arranged(const NetworkLayer& layer,
                                const std::vector<const MapsOf<T>*>& sources);

// Gradients of the sources from those of what was arranged.
std::vector<Maps> arranged_gradient(const NetworkLayer& layer,
                                    const std::vector<const Maps*>& sources,
                                    std::vector<Maps> gradients);

}  // namespace edgetwin::train
