// The program's version; the number is PROJECT_VERSION of the top CMakeLists.txt.
#pragma once

#include <string>
#include <string_view>

namespace edgetwin::cli {

extern const std::string_view kVersion;

// For --version: version, build and the formats that are understood.
std::string version_text();

}  // namespace edgetwin::cli
