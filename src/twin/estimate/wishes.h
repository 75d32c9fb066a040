// Options of an estimate by the family of chips that has them.
#pragma once

#include "edgetwin/estimate.h"
#include "targets/target.h"

namespace edgetwin::twin {

// An option that changes nothing for the family is refused. Error: usage.
Status refuse_others(const EstimateOptions& options, Family family);

}  // namespace edgetwin::twin
