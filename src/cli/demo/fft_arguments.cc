#include "cli/demo/fft.h"
#include "signals/spectrum/window.h"

namespace edgetwin::cli {

void declare(OptionSet& options, FftDemoArguments& a) {
  options
      .text("--source", a.source, "X",
            "A recording (.cu8, .cs8, .cs16, .cf32, .sigmf-meta, .wav),\nrtl_sdr, rtl_sdr:N, "
            "synthetic:tones or synthetic:noise;\nsynthetic:tones without it")
      .not_empty();
  options.text("--samples", a.samples, "TYPE", "What a raw file holds, whatever its ending")
      .choices({"cu8", "cs8", "cs16", "cf32"});
  options.number("--rate", a.rate, "HZ", "Samples per second, where the source does not say")
      .positive();
  options.number("--frequency", a.frequency, "HZ", "Of a receiver; 100 MHz without it").positive();
  options.number("--gain", a.gain, "DB", "Of a receiver; its own choice without it");
  OptionHandle model = options.file(
      "--model", a.model, "A transform instead of the template's: any file that `run`\ntakes");
  options
      .text(
          "--order", a.order, "WORD",
          "Of the model's samples, natural or bit_reversed; without it\nas its side-car file says")
      .choices({"natural", "bit_reversed"})
      .needs(model);
  options.number("--size", a.size, "N", "Samples of a transform; 256 without it").excludes(model);
  options.number("--batch", a.batch, "N", "Transforms of one run; 1 without it").excludes(model);
  options.text("--form", a.form, "WORD", "butterfly or matrix; butterfly without it")
      .choices({"butterfly", "matrix"})
      .excludes(model);
  options.text("--scaling", a.scaling, "WORD", "worst, noise or calibrated; worst without it")
      .choices({"worst", "noise", "calibrated"})
      .excludes(model);
  options.text("--number", a.number, "WORD", "int8, int16 or float32; int8 without it")
      .choices({"int8", "int16", "float32"})
      .excludes(model);
  options
      .text("--numerics", a.numerics, "NAME",
            "The arithmetic; edgetpu without it, tflite for int16\nand float32")
      .not_empty();
  options.text("--window", a.window, "WORD", "rectangular, hann or blackman; hann without it")
      .choices(signals::window_names());
  options.number("--overlap", a.overlap, "PERCENT", "Of neighbouring transforms; 0 without it")
      .range(0.0, 95.0);
  options.number("--average", a.average, "N", "Transforms of a row; 1 without it")
      .range(1, 1000000);
  options
      .number("--rows", a.rows, "N",
              "Stop after so many; without it at the end of a file, or\nafter 32")
      .range(1, 16384);
  options.file("-o,--output", a.output, "The waterfall as PNG");
  options.file("--spectra", a.spectra, "Every transform, complex64, as .npy");
  options.force("Overwrite existing files");
}

Verb verb_demo_fft() {
  return {.name = "fft",
          .group = "",
          .summary = "The spectrum of radio or sound by a network",
          .example = "edgetwin demo fft --source synthetic:tones --average 4 -o waterfall.png",
          .declare = declaration_of<FftDemoArguments>()};
}

}  // namespace edgetwin::cli
