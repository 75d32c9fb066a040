// The verbs of `lut`; as verbs.h.
#pragma once

#include "base/result.h"
#include "cli/arguments_lut.h"
#include "cli/console.h"

namespace edgetwin::cli {

// Exit code 0.
Result<int> lut_build_verb(const LutBuildArguments& arguments, Console& console);
// Exit code 1 if a table does not hold its function or does not have the length of its step.
Result<int> lut_sweep_verb(const LutSweepArguments& arguments, Console& console);
// Exit code 1 if no table suffices under either rule.
Result<int> lut_advise_verb(const LutAdviseArguments& arguments, Console& console);

}  // namespace edgetwin::cli
