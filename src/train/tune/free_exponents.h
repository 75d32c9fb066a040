// Which exponents of a plan may be trained with a part of a network.
#pragma once

#include <functional>
#include <set>

#include "train/tune/tuned_network.h"

namespace edgetwin::train {

// Operands that decide (Plan::root) for none but operands of the part and those who read its
// results. Biases and limits follow others, the part's input is decided before it, and operands of
// operators that are `fixed` stay.
std::set<quantize::QuantId> free_exponents(const quantize::Plan& plan, const Chain* part,
                                           const std::function<bool(size_t)>& fixed);

}  // namespace edgetwin::train
