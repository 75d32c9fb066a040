// For which chip an .espdl file is computed, and in which arithmetic.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/espdl/document/target.h"
#include "twin/compute.h"
#include "twin/load.h"

namespace edgetwin::twin {

struct ChosenTarget {
  espdl::Target target = espdl::Target::c;
  std::string why;
  std::vector<Finding> findings;
};

// What the user names; else what the file tells; else the chip whose arithmetic gives the embedded
// test outputs; else a word of the path, with a warning. Errors: usage, espdl_target.
Result<ChosenTarget> choose_target(const espdl::Document& document, const std::string& file,
                                   const LoadOptions& options);

// The target of that name. Error: usage.
Result<espdl::Target> named_target(const std::string& name);

// The row of numerics/numerics.def for a model: the one that is named, or the one of its kind
// and target. Error: numerics_unknown.
Result<std::string> choose_numerics(const LoadedModel& loaded, const ComputeOptions& compute);

// "3.3.9" as 30309. Error: usage.
Result<int> runtime_version(const std::string& text);

LoadOptions load_options(const ComputeOptions& compute);

}  // namespace edgetwin::twin
