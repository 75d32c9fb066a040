// In which order the engines of the chip run the instructions of a program.
#pragma once

#include "targets/edgetpu/machine/engines/core.h"

namespace edgetwin::edgetpu::machine {

// Runs core.steps to the end. Errors: chip_stream where everything waits, those of the engines.
Status run_steps(Core& core);

}  // namespace edgetwin::edgetpu::machine
