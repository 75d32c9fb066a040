// Command lines of the help.
#pragma once

#include <string>

namespace edgetwin {

// As they are shown: a line of more than 80 columns goes on in the next one, after a backslash, so
// that it can still be pasted. Options keep their values beside them.
std::string shown_example(const std::string& lines);

}  // namespace edgetwin
