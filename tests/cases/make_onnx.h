// The files of files/ for ONNX: a small float network with calibration data, and networks that are
// refused.
#pragma once

#include <filesystem>

namespace edgetwin {

// True unless a file cannot be written.
bool write_onnx_files(const std::filesystem::path& folder);

}  // namespace edgetwin
