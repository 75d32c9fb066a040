// A network that computes: on the twin (the numbers alone), or on the machine (its register
// program executed). Both take any input of the network's shape and give the same form, so that
// they can be compared.
#pragma once

#include <vector>

#include "base/result.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/machine/player/play.h"
#include "targets/max78/pipeline/load.h"
#include "targets/max78/simulate/simulate.h"

namespace edgetwin::max78 {

// Tensors are (channels, rows, columns), int8, or int32 of outputs that are 32 bits wide.
struct NetworkRun {
  std::vector<Tensor> outputs;  // of output_layers(plan), in that order
  // In the order of execution; the machine has no `pool` and `elt`.
  std::vector<LayerResult> layers;
};

// The name of a layer's result: the layer's own, or "layer N".
std::string result_name(const LoadedNetwork& network, int layer);

// The twin. `input`: int8, as network.sample. Without options.trace only output layers are kept.
// For many runs make a Simulation of network.plan() once. Errors: max78_rules, max78_sample.
Result<NetworkRun> simulate(const LoadedNetwork& network, const Tensor& input,
                            const SimulationOptions& options = {});
// What a Simulation gave in the form of a run.
NetworkRun run_of(const ResolvedNetwork& plan, SimulationResult result);

// A run of the machine.
struct MachineRun : NetworkRun {
  std::vector<Finding> findings;
  uint64_t steps = 0, multiplications = 0;
  int layers_done = 0;
};

// The machine: the network's own register program with `input` loaded. Outputs are read from data
// memory at the end; a layer's result is what its words were when they were written. Elements that
// no layer wrote are 0. Errors: max78_rules, max78_sample, those of play().
Result<MachineRun> run_machine(const LoadedNetwork& network, const Tensor& input,
                               const MachineOptions& options = {});
// The same for a program that was given: it has its own input.
Result<MachineRun> run_machine(const LoadedNetwork& network, const ProgramText& program,
                               const MachineOptions& options = {});

// A network's own program in the machine beside the twin: values that differ, layer by layer.
struct PlanProof {
  size_t layers = 0, values = 0, different = 0;
  std::vector<Finding> findings;  // of the machine
  std::string first;              // the first layer that differs
  bool proven() const { return layers > 0 && different == 0 && !has_errors(findings); }
};
Result<PlanProof> prove(const LoadedNetwork& network, const Tensor& input);

// Program, known answer and unloading of network.sample. Errors: those of simulate() and compile().
Result<CompiledNetwork> compile(const LoadedNetwork& network);

}  // namespace edgetwin::max78
