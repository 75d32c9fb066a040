// What `verify` does with compiled Edge TPU models: the programs of a file, executed by the
// machine, against the network that they were compiled from.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/verify/arguments.h"
#include "cli/verify/check_sheet.h"
#include "twin/machine.h"

namespace edgetwin::cli {

struct OutputAgreement {
  std::string name;
  size_t elements = 0, different = 0, first = 0;  // first: of those that differ
};

struct CompiledRun {
  twin::MachineRun machine;
  std::shared_ptr<const twin::LoadedModel> reference;  // null: there is none
  bool decompiled = false;                             // the reference
  std::vector<OutputAgreement> outputs;                // none without a reference

  bool equal() const;
};

// Executes the model and, where there is one, the reference: the file that `a` names, the source
// beside the compiled file, or the decompiled network. What the host runs is computed alike in
// both. Errors: usage, those of twin::run_on_machine and of exec::Session.
Result<CompiledRun> run_compiled(ByteSpan data, const std::string& file, const VerifyArguments& a);

// Whether the run gives what the decompiled network gives, where that is complete: the compiler may
// make one step of several of the source's. Nothing: it is not complete, or cannot be run.
std::optional<bool> equals_decompiled(ByteSpan data, const std::string& file,
                                      const VerifyArguments& a, const CompiledRun& run);

}  // namespace edgetwin::cli
