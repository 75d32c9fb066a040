// The style sheet of the page, for light and dark.
#pragma once

#include <string_view>

namespace edgetwin::report {

extern const std::string_view kPageStyle;

}  // namespace edgetwin::report
