// The vendor's compiler for the Edge TPU, by its name. docs/edgetpu-compiler.md, "By the name of
// the vendor's compiler".
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/shared/console.h"

namespace edgetwin::cli {

// Whether the program was called as edgetpu_compiler.
bool is_edgetpu_compiler(const std::vector<std::string>& words);
// Takes that program's options, `words` with its name first; compiles each model to
// NAME_edgetpu.tflite with NAME_edgetpu.log and prints its summary. Gives the exit code.
Result<int> edgetpu_compiler(const std::vector<std::string>& words, Console& console);

}  // namespace edgetwin::cli
