#include "cli/probe/arguments.h"

#include "targets/edgetpu/params/probe.h"

namespace edgetwin::cli {

void declare(OptionSet& options, ProbeArguments& a) {
  options.positional("MODEL", a.model, "A compiled model, NAME_edgetpu.tflite").required();
  options.file("--reference", a.reference,
               "The model that it was compiled from; needed for several layers");
  options.text("--layer", a.layer, "LAYER", "Its number or output tensor; 0 without it");
  options.text("--at", a.at, "O,I", "Where a weight stands: OUT,IN, or OUT,ROW,COLUMN,IN");
  options.number("--offset", a.offset, "N", "What the byte at this offset of the parameters is");
  options.file("--against", a.against,
               "A model with other parameters: every byte that differs, and what it is");
  options.flag("--sweep", a.sweep, "What each of the 256 bytes means as a weight of this layer");
  const OptionHandle matrix =
      options
          .text("--matrix", a.matrix, "NAME",
                "Writes the model with other weights: identity, shift_plus1,\nshift_minus1, "
                "single_hot (at --at) or ones")
          .choices({std::begin(edgetpu::kProbeMatrices), std::end(edgetpu::kProbeMatrices)});
  options.number("--value", a.value, "N", "Of the matrix; 127 without it").needs(matrix);
  options.number("--byte", a.byte, "N",
                 "Writes the model with this raw byte as every weight, 0 to 255");
  options.file("-o,--output", a.output, "The new model");
  options.force("Overwrite an existing file");
}

Verb verb_probe() {
  return {.name = "probe",
          .group = group::kEdgeTpu,
          .summary = "Which byte of the parameters is which weight, and back",
          .example = "edgetwin probe dense_edgetpu.tflite --at 3,5",
          .declare = declaration_of<ProbeArguments>()};
}

}  // namespace edgetwin::cli
