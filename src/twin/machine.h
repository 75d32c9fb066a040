// Compiled Edge TPU models executed by the machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "targets/edgetpu/machine/machine.h"
#include "twin/compute.h"
#include "twin/load.h"

namespace edgetwin::twin {

struct MachineRun {
  std::vector<Tensor> outputs;  // one per output of the model
  LoadedInputs inputs;
  edgetpu::machine::MachineReport report;
  exec::Options host;  // of the operators that the host runs
  size_t host_operators = 0;
  std::vector<Finding> findings;  // of an order of engines
};

// What the machine computed in a way that nobody has seen on the chip, under the id of its
// evidence.
std::optional<Finding> open_point(const edgetpu::machine::MachineReport& report);

// The numerics of the chip, and those in which the graph gives what a run gave: where the scalar
// core computed a softmax, the graph does so in the same way.
inline constexpr const char* kChipNumerics = "edgetpu";
std::string graph_numerics(const edgetpu::machine::MachineReport& report);

// Executes a compiled .tflite file: its compiled operators in the machine, the others on the twin
// with the numerics of `compute`, "tflite" without. Errors: device_request, chip_*, edgetpu_*,
// darwinn_*, those of load_inputs and of exec::Session.
// `interleave`: engines go side by side, in the order of this number.
Result<MachineRun> run_on_machine(ByteSpan data, const LoadedModel& loaded,
                                  const std::vector<std::string>& words,
                                  const ComputeOptions& compute, Resize resize = Resize::nearest,
                                  std::optional<uint64_t> interleave = std::nullopt);

}  // namespace edgetwin::twin
