// The Edge TPU files of files/: a program that takes 32 bytes and gives 16, by itself and in a
// package in a model.
#pragma once

#include <filesystem>

namespace edgetwin {

// True unless a file cannot be written.
bool write_edgetpu_files(const std::filesystem::path& folder);

}  // namespace edgetwin
