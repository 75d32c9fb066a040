// `template fft`: the Fourier transform as a network.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct FftTemplateArguments {
  int size = 0, batch = 1;
  std::string form = "butterfly", scaling = "worst", number = "int8";
  bool flat = false, verify = false;
  Output output, metadata, calibration;
};

void declare(OptionSet& options, FftTemplateArguments& a);
Result<int> execute(const FftTemplateArguments& a, Console& console);
Verb verb_template_fft();

}  // namespace edgetwin::cli
