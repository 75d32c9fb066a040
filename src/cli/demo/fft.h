// `demo fft`: samples in, spectrum out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"

namespace edgetwin::cli {

struct FftDemoArguments {
  std::string source = "synthetic:tones", samples;
  double rate = 0.0, frequency = 0.0;
  std::optional<double> gain;
  int size = 256, batch = 1;
  std::string model, order;  // instead of the template's
  std::string form = "butterfly", scaling = "worst", number = "int8", numerics;
  std::string window = "hann";
  double overlap = 0.0;
  int average = 1, rows = 0;
  Output output, spectra;
};

void declare(OptionSet& options, FftDemoArguments& a);
Result<int> execute(const FftDemoArguments& a, Console& console);
Verb verb_demo_fft();

}  // namespace edgetwin::cli
