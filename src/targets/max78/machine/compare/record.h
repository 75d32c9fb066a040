// What a register program leaves, as the results of the network's layers.
#pragma once

#include <vector>

#include "targets/max78/hardware/hardware.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/simulate/simulate.h"

namespace edgetwin::max78 {

// Plays the program of `plan`. One result for each layer in the order of execution: (channels,
// rows, columns), int8 or int32, as its words were when they were written, also those that later
// layers overwrite; elements that were not written are 0. Errors: those of play().
Result<std::vector<LayerResult>> run_recorded(const ProgramText& program, Machine& machine,
                                              const HardwarePlan& plan);

// A layer's result as data memory holds it now, in the same form.
Tensor memory_of(const Machine& machine, const HardwarePlan& plan, const HardwareLayer& layer);

}  // namespace edgetwin::max78
