// What a run asks for that it cannot give, before the first step.
#pragma once

#include "train/run/setup.h"

namespace edgetwin::train {

// Curves and confusion are of classes; the event file may be left out. Error: train_conflict.
Status check_shown(const RunSettings& settings, const Setup& setup);

// A bitwise operation has no gradient: nothing that is trained may come before it. Error:
// train_gradient.
Status check_gradient_paths(const Setup& setup);

}  // namespace edgetwin::train
