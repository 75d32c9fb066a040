#include "cli/streams/stream_arguments.h"

#include "signals/spectrum/window.h"

namespace edgetwin::cli {

OptionHandles declare_source(OptionSet& options, StreamArguments& a) {
  return {
      options.text("--samples", a.samples, "TYPE", "What a raw file holds, whatever its ending")
          .choices({"cu8", "cs8", "cs16", "cf32"}),
      options.number("--rate", a.rate, "HZ", "Samples per second, where the source does not say")
          .positive(),
      options.number("--frequency", a.frequency, "HZ", "Of a receiver; 100 MHz without it")
          .positive(),
      options.number("--gain", a.gain, "DB", "Of a receiver; its own choice without it")};
}

OptionHandle declare_order(OptionSet& options, std::string& order) {
  return options
      .text("--order", order, "WORD",
            "Of the model's samples, natural or bit_reversed; without it\nas its side-car file "
            "says, else as a tone tells")
      .choices({"natural", "bit_reversed"});
}

OptionHandles declare_steps(OptionSet& options, StreamArguments& a) {
  return {options
              .number("--input-step", a.input_step, "X",
                      "Of a transform for the MAX78000 or MAX78002: what one step of its\ninput "
                      "stands for, as `quantize` prints")
              .positive(),
          options.number("--output-step", a.output_step, "X", "The same of its output").positive()};
}

OptionHandles declare_spectrum(OptionSet& options, StreamArguments& a) {
  return {
      options.text("--window", a.window, "WORD", "rectangular, hann or blackman; hann without it")
          .choices(signals::window_names()),
      options.number("--overlap", a.overlap, "PERCENT", "Of neighbouring transforms; 0 without it")
          .range(0.0, 95.0),
      options.number("--average", a.average, "N", "Transforms of a row; 1 without it")
          .range(1, 1000000),
      options
          .number("--rows", a.rows, "N",
                  "Stop after so many; without it at the end of a file, or\nafter 32")
          .range(1, 16384)};
}

}  // namespace edgetwin::cli
