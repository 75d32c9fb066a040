// `demo fft`: samples in, spectrum out.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/shared/verb.h"
#include "cli/streams/stream_arguments.h"

namespace edgetwin::cli {

struct FftDemoArguments {
  StreamArguments stream;
  int size = 256, batch = 1;
  std::string model;  // instead of the template's
  std::string form = "butterfly", scaling = "worst", number = "int8", numerics;
  Output output, spectra;
};

void declare(OptionSet& options, FftDemoArguments& a);
Result<int> execute(const FftDemoArguments& a, Console& console);
Verb verb_demo_fft();

}  // namespace edgetwin::cli
