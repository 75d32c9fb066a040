// Hints that follow from the formulas: the table hints.def.
#pragma once

#include <cstdint>
#include <string>

#include "edgetwin/estimate.h"

namespace edgetwin::estimates {

enum class Hint : uint8_t {
#define HINT(name, id, meaning) name,
#include "estimate/hints.def"
#undef HINT
};

EstimateHint hint(Hint which, std::string text);

}  // namespace edgetwin::estimates
