// Streams of samples: where they come from, and how spectra are made of them. Shared by the verbs
// that take streams.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/shared/option_set.h"

namespace edgetwin::cli {

struct StreamArguments {
  std::string source, samples;
  double rate = 0.0, frequency = 0.0;  // Hz; 0: not said
  std::optional<double> gain;
  std::string order;   // of a network's samples; empty: as its side-car file says
  std::string window;  // empty: hann
  std::optional<double> input_step, output_step;  // of networks that do not say theirs
  double overlap = 0.0;
  int average = 0, rows = 0;  // 0: not said
};

// What `source` may name, as the help has it.
inline constexpr const char* kSourceHelp =
    "A recording (.cu8, .cs8, .cs16, .cf32, .sigmf-meta, .wav),\nrtl_sdr, rtl_sdr:N, "
    "synthetic:tones or synthetic:noise";

using OptionHandles = std::vector<OptionHandle>;
// --samples, --rate, --frequency, --gain
OptionHandles declare_source(OptionSet& options, StreamArguments& a);
// --order
OptionHandle declare_order(OptionSet& options, std::string& order);
// --input-step, --output-step
OptionHandles declare_steps(OptionSet& options, StreamArguments& a);
// --window, --overlap, --average, --rows
OptionHandles declare_spectrum(OptionSet& options, StreamArguments& a);

}  // namespace edgetwin::cli
