// One network on one chip.
#pragma once

#include "edgetwin/compare_chips.h"

namespace edgetwin::twin {

// Never an error: what keeps the network from the chip is its reason.
ComparedChip compare_on(const std::string& network, const std::string& target,
                        const CompareChipsOptions& options);

}  // namespace edgetwin::twin
