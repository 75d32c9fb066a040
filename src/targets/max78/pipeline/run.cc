#include "targets/max78/pipeline/run.h"

#include "targets/max78/machine/compare/record.h"
#include "targets/max78/machine/compare/side_by_side.h"
#include "targets/max78/place/region.h"

namespace edgetwin::max78 {
namespace {

Result<ProgramText> program_of(const LoadedNetwork& network, const Tensor& input) {
  EDGETWIN_TRY_ASSIGN(const Program program, make_program(network.plan(), input));
  return as_text(program, network.plan().chip->device);
}

}  // namespace

std::string result_name(const LoadedNetwork& network, int layer) {
  return ai8x::layer_name(network.network, static_cast<size_t>(layer));
}

NetworkRun run_of(const ResolvedNetwork& plan, SimulationResult result) {
  NetworkRun run;
  for (const int i : output_layers(plan)) {
    for (const LayerResult& l : result.layers) {
      if (l.layer == i) run.outputs.push_back(l.out);
    }
  }
  run.layers = std::move(result.layers);
  return run;
}

Result<NetworkRun> simulate(const LoadedNetwork& network, const Tensor& input,
                            const SimulationOptions& options) {
  EDGETWIN_TRY_ASSIGN(Simulation simulation, Simulation::make(network.plan(), options));
  EDGETWIN_TRY_ASSIGN(SimulationResult result, simulation.run(input));
  return run_of(network.plan(), std::move(result));
}

Result<MachineRun> run_machine(const LoadedNetwork& network, const Tensor& input,
                               const MachineOptions& options) {
  EDGETWIN_TRY_ASSIGN(const ProgramText program, program_of(network, input));
  return run_machine(network, program, options);
}

Result<MachineRun> run_machine(const LoadedNetwork& network, const ProgramText& program,
                               const MachineOptions& options) {
  const Plan& plan = network.plan();
  if (program.device != plan.chip->device) {
    return Error(ErrorCode::max78_program_text,
                 "the program is one of a " + std::string(name(program.device)) +
                     ", the network is planned for a " + std::string(name(plan.chip->device)))
        .in_file(program.file)
        .with_hint("Name the device of the program.");
  }
  Machine machine(program.device, options);
  MachineRun run;
  EDGETWIN_TRY_ASSIGN(run.layers, run_recorded(program, machine, plan));
  for (const int i : output_layers(plan)) {
    run.outputs.push_back(memory_of(machine, plan, plan.layer(i)));
  }
  run.findings = machine.findings();
  run.steps = machine.steps();
  run.multiplications = machine.multiplications();
  run.layers_done = machine.layers_done();
  return run;
}

Result<PlanProof> prove(const LoadedNetwork& network, const Tensor& input) {
  EDGETWIN_TRY_ASSIGN(const ProgramText program, program_of(network, input));
  EDGETWIN_TRY_ASSIGN(const NetworkRun twin, simulate(network, input));
  Machine machine(program.device, {});
  EDGETWIN_TRY_ASSIGN(const SideBySide both,
                      run_side_by_side(program, machine, network.plan(), twin.layers));
  PlanProof proof;
  proof.findings = machine.findings();
  for (const LayerAgreement& l : both.layers) {
    ++proof.layers;
    proof.values += l.values;
    proof.different += l.different;
    if (l.different > 0 && proof.first.empty()) {
      proof.first = ai8x::layer_name(network.network, static_cast<size_t>(l.layer));
    }
  }
  return proof;
}

Result<CompiledNetwork> compile(const LoadedNetwork& network) {
  EDGETWIN_TRY_ASSIGN(const NetworkRun run, simulate(network, network.sample, {.trace = false}));
  return compile(network.plan(), network.sample, run.outputs);
}

}  // namespace edgetwin::max78
