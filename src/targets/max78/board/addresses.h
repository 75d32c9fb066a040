// docs/max78-addresses.md: where everything of the accelerator is on the bus of both chips.
#pragma once

#include <string>

namespace edgetwin::max78 {

std::string addresses_markdown();

}  // namespace edgetwin::max78
