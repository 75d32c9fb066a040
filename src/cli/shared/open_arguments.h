// The options of verbs as those of the library's front door.
#pragma once

#include "cli/shared/compute_arguments.h"
#include "cli/shared/max78_arguments.h"
#include "edgetwin/inputs.h"
#include "edgetwin/network.h"

namespace edgetwin::cli {

OpenOptions open_options(const ComputeArguments& compute, const Max78Arguments& max78 = {});
RunnerOptions runner_options(const ComputeArguments& compute);
PictureOptions picture_options(const ComputeArguments& compute);

}  // namespace edgetwin::cli
