// The version of the library that is loaded.
#pragma once

#include <string_view>

#include <edgetwin/export.h>

namespace edgetwin {

// "MAJOR.MINOR.PATCH", the number of the CMake project. The text is static.
EDGETWIN_API std::string_view version();

}  // namespace edgetwin
