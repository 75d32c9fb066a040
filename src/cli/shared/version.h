// The text of --version; the number is edgetwin/version.h.
#pragma once

#include <string>

namespace edgetwin::cli {

// For --version: version, build and the formats that are understood.
std::string version_text();

}  // namespace edgetwin::cli
