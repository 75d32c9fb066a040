// `run --decode espdl-…` and `run --like espdl`: pictures as the chip brings them in.
#pragma once

#include "cli/run/arguments.h"
#include "cli/shared/console.h"
#include "edgetwin/inputs.h"

namespace edgetwin::cli {

bool is_vision(const RunArguments& a);
// Errors: usage for options that change nothing, those of see_picture.
Result<int> run_vision(const RunArguments& a, Console& console);

// --like espdl: the picture by the pipeline of --params. Error: usage unless there is one picture.
Result<Inputs> inputs_like_espdl(const RunArguments& a, const Runner& runner, Console& console);
// --like, --params and --then where nothing takes them.
Status refuse_vision_options(const RunArguments& a);

}  // namespace edgetwin::cli
