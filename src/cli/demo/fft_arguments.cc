#include "cli/demo/fft.h"

namespace edgetwin::cli {

void declare(OptionSet& options, FftDemoArguments& a) {
  a.stream.source = "synthetic:tones";
  options
      .text("--source", a.stream.source, "X",
            kSourceHelp + std::string(";\nsynthetic:tones without it"))
      .not_empty();
  declare_source(options, a.stream);
  OptionHandle model = options.file(
      "--model", a.model, "A transform instead of the template's: any file that `run`\ntakes");
  declare_order(options, a.stream.order).needs(model);
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
  declare_spectrum(options, a.stream);
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
