// The numbers that are trained, by name.
#pragma once

#include "train/tune/tune_state.h"
#include "train/tune/tuned_network.h"

namespace edgetwin::train {

ParameterSet parameters_of(const TunedNetwork& network);
// Error: checkpoint_shape where one is missing or of another size.
Status put_parameters(const ParameterSet& from, TunedNetwork& network);

}  // namespace edgetwin::train
