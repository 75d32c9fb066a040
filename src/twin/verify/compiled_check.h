// Compiled Edge TPU models: the programs of a file, executed by the machine, against the network
// that they were compiled from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "twin/machine.h"

namespace edgetwin::twin {

// What a model is checked with.
struct CompiledCheck {
  std::vector<std::string> inputs;          // words of read_inputs(), see input_runs()
  ComputeOptions compute;                   // without numerics those of the chip
  std::string reference;                    // the model that was compiled; empty: it is looked for
  std::optional<uint64_t> interleave = {};  // engines side by side, in the order of this number
};

// Of all runs together.
struct OutputAgreement {
  std::string name;
  size_t elements = 0, different = 0;
  size_t first = 0;         // element of those that differ, in the first run that has one
  std::string first_input;  // of that run
};

// Inputs of one run, and what the machine makes of them.
struct CompiledInputs {
  std::vector<std::string> words;
  MachineRun machine;
};

struct CompiledRun {
  std::vector<CompiledInputs> runs;              // one or more
  std::shared_ptr<const LoadedModel> reference;  // null: there is none
  bool decompiled = false;                       // the reference
  std::vector<OutputAgreement> outputs;          // none without a reference
  // Why the host's operators after the last compiled one were left out: one of them is not computed
  // here. `outputs` are then what the compiled operators send.
  std::optional<Error> left_out;

  bool equal() const;
  // None of an order of engines is an error.
  bool ordered() const;
  const MachineRun& machine() const { return runs.front().machine; }
};

// The inputs of each run: every generated one, "xs32:1", is a run of its own, and "xs32:1..8" is
// eight; anything else is one run with all of them. Error: usage, where a row of seeds is none.
Result<std::vector<std::vector<std::string>>> input_runs(const std::vector<std::string>& words);

// All compiled .tflite files of a folder and below it, by name. Error: usage.
Result<std::vector<std::string>> compiled_models_in(const std::string& folder);

// Executes the model and, where there is one, the reference: the file that `check` names, the
// source beside the compiled file, or the decompiled network. What the host runs is computed alike
// in both; where the twin has no such operator, the network is compared up to what the device sends
// (CompiledRun::left_out). Every run of input_runs() begins anew. Errors: usage, those of
// run_on_machine and of exec::Session.
Result<CompiledRun> run_compiled(ByteSpan data, const std::string& file,
                                 const CompiledCheck& check);

// Whether the run gives what the decompiled network gives, where that is complete: the compiler may
// make one step of several of the source's. Nothing: it is not complete, or cannot be run.
std::optional<bool> equals_decompiled(ByteSpan data, const std::string& file,
                                      const CompiledCheck& check, const CompiledRun& run);

}  // namespace edgetwin::twin
