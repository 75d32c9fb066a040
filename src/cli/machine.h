// Compiled Edge TPU models executed by the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/compute.h"
#include "cli/load.h"
#include "targets/edgetpu/machine/machine.h"

namespace edgetwin::cli {

struct MachineRun {
  std::vector<Tensor> outputs;  // one per output layer of the program
  LoadedInputs inputs;
  edgetpu::machine::MachineReport report;
};

// Executes the one compiled operator of a .tflite file, which must be the whole model. Errors:
// usage, chip_*, edgetpu_*, darwinn_*, those of load_inputs.
Result<MachineRun> run_on_machine(ByteSpan data, const LoadedModel& loaded,
                                  const std::vector<std::string>& words,
                                  const ComputeArguments& compute);

}  // namespace edgetwin::cli
