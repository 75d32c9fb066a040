// The verbs about the parameters of compiled Edge TPU models.
#pragma once

#include "base/result.h"
#include "cli/arguments_params.h"
#include "cli/console.h"

namespace edgetwin::cli {

Result<int> params_list_verb(const ParamsListArguments& arguments, Console& console);
Result<int> params_build_verb(const ParamsBuildArguments& arguments, Console& console);
Result<int> params_extract_verb(const ParamsExtractArguments& arguments, Console& console);
Result<int> patch_verb(const PatchArguments& arguments, Console& console);

}  // namespace edgetwin::cli
