// The .espdl files of files/: one layer that leaves the lanes of an ESP32-S3, one table, one sum of
// different exponents, and a package.
#pragma once

#include <filesystem>
#include <string>

namespace edgetwin {

// True unless a file cannot be written.
bool write_espdl_files(const std::filesystem::path& folder);

}  // namespace edgetwin
