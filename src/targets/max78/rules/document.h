// docs/max78-rules.md: the rules of the chips and the options of the vendor's loader as tables.
#pragma once

#include <string>

namespace edgetwin::max78 {

std::string rules_markdown();

}  // namespace edgetwin::max78
