// The transform as ESP-DL computes it: the float network as an ONNX file, quantized to powers of
// two.
#pragma once

#include "formats/espdl/document/target.h"
#include "signals/measure/measure.h"

namespace edgetwin::signals {

// `options.size`, `batch` and `form` count; the ranges come from `samples`, of which there must be
// a whole run. `bits` is 8 or 16. Errors: template_argument, quant_*.
Result<Graph> espdl_fft(const FftOptions& options, espdl::Target target, int bits,
                        std::span<const Complex> samples);

// The float network as an ONNX file. Errors: template_argument, out_of_memory.
Result<Bytes> onnx_fft(const FftOptions& options);

}  // namespace edgetwin::signals
