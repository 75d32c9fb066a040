// The files of files/ for MAX78000 and MAX78002: a network of three layers as float and as integer
// checkpoint, and one with integer arrays.
#pragma once

#include <filesystem>

namespace edgetwin {

// True unless a file cannot be written.
bool write_max78_files(const std::filesystem::path& folder);

}  // namespace edgetwin
