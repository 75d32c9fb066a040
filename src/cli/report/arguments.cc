#include "cli/report/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, ReportArguments& a) {
  options
      .positional("MODEL", a.model,
                  "A .tflite, .espdl or .onnx file, or a network .yaml for a MAX78000")
      .required();
  declare_inputs(options, a.inputs);
  declare(options, a.compute);
  options.file("-o,--output", a.output, "The page: one HTML file that needs no network").required();
  const OptionHandle reference =
      options.folder("--reference", a.reference,
                     "Folder of expected tensors, .npy by tensor name or a trace;\nexit code 1 if "
                     "they differ");
  options.number("--tolerance", a.tolerance, "X", "As of edgetwin diff")
      .not_negative()
      .needs(reference);
  options.force("Overwrite an existing page");
  declare_max78_inputs(options, a.max78);
  declare_input_shape(options, a.max78);
}

Verb verb_report() {
  return {.name = "report",
          .group = group::kNetworks,
          .summary = "Computes a model and writes a page about it",
          .example = "edgetwin report model.tflite --input xs32:1 -o model.html",
          .declare = declaration_of<ReportArguments>()};
}

}  // namespace edgetwin::cli
