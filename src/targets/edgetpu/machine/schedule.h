// In which order the engines of the chip run the instructions of a program.
#pragma once

#include <memory>
#include <vector>

#include "targets/edgetpu/machine/engines/core.h"

namespace edgetwin::edgetpu::machine {

// Runs core.steps to the end. Errors: chip_stream where everything waits, those of the engines.
Status run_steps(Core& core);

// The same, one action at a time: what a debugger shows.
class StepRun {
 public:
  // core.steps are those of the program; `core` must outlive the run.
  explicit StepRun(Core& core);
  ~StepRun();
  bool finished() const;  // every instruction has run
  // Runs the next instruction, or moves that run together. Gives their indices in core.steps.list;
  // none: everything has run. Errors: those of run_steps.
  Result<std::vector<size_t>> advance();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace edgetwin::edgetpu::machine
