// A quantized network as an .espdl file.
#pragma once

#include "quantize/quantize.h"

namespace edgetwin::cli {

// With the first sample and what the twin computes of it embedded as test values. The file is read
// again and executed, and must give the same. Errors: espdl_write, op_*, internal.
Result<Bytes> espdl_file(const quantize::Quantized& quantized, const quantize::Sample& sample,
                         const quantize::Settings& settings);

}  // namespace edgetwin::cli
