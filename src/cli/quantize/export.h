// A quantized network as an .espdl file.
#pragma once

#include <string>

#include "base/file.h"
#include "quantize/espdl/quantize.h"

namespace edgetwin::cli {

// Writes the .espdl file, with the first sample and what the twin computes of it embedded as test
// values, and beside it NAME.info and NAME.json. The file is read again and executed before, and
// must give the same. Errors: espdl_write, op_*, output_exists, file_write, internal.
Status write_espdl(const std::string& path, const quantize::Quantized& quantized,
                   const quantize::Sample& sample, const quantize::Settings& settings,
                   Overwrite overwrite);

}  // namespace edgetwin::cli
