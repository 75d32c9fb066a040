// The matrix form as the MAX78000 and MAX78002 compute it.
#pragma once

#include <string>

#include "base/result.h"
#include "formats/ai8x/network.h"

namespace edgetwin::signals {

struct Max78Fft {
  double snr = 0.0;  // decibels against the float form, noise of kNoiseLevel
  int64_t products = 0, weight_bytes = 0, weight_bytes_of_chip = 0;
  int64_t cycles = 0;  // MAX78000 only: of the accelerator's clock of 50 MHz; an estimate
};

// Flat, quantized with test noise, computed on the twin. `device` must hold it. Errors:
// template_argument, those of max78::convert; max78_rules with what does not fit.
Result<Max78Fft> max78_fft(int size, ai8x::Device device);

// docs/signals.md, "MAX78000 and MAX78002": a row for each size that one of the chips holds.
Result<std::string> max78_fft_table();

}  // namespace edgetwin::signals
