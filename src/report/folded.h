// Text that a terminal shows without breaking it anywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "report/format.h"

namespace edgetwin::report {

// Lines of at most kTerminalWidth characters where a break allows it: after ", ", of a text
// without that at blanks. Those after the first begin with `indent` blanks. Ends in '\n'.
std::string folded(std::string_view text, size_t indent);

// Characters of the longest line.
size_t longest_line(std::string_view text);

}  // namespace edgetwin::report
