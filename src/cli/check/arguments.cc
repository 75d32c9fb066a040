#include "cli/check/arguments.h"

#include "cli/shared/compute_arguments.h"
#include "targets/target.h"

namespace edgetwin::cli {

void declare(OptionSet& options, CheckArguments& a) {
  options
      .positional("MODEL", a.model,
                  "An .espdl or .onnx file, a network .yaml for a MAX78000,\nor for the Edge TPU a "
                  "compiled model or a .tflite of bytes")
      .required();
  options.target(a.target, targets::targets_with("check") + ";\nwithout it all that the file fits");
  options.text("--model", a.member, "NAME", "Which model of a package, by name or number")
      .not_empty();
  declare_key(options, a.key);
  declare_shapes(options, a.shapes);
  options.file(
      "--params", a.params,
      "Of an .espdl model: a picture pipeline (as of preprocess) that must suit its input");
  options.flag("--fail-on-fallback", a.fail_on_fallback,
               "Edge TPU: an operator on the host makes the answer no");
  options.flag("--strict", a.strict, "Warnings too make the answer no");
  declare_max78_inputs(options, a.max78);
  declare_max78_page(options, a.max78);
  OptionSet max78 = options.in_group(kMax78Group);
  max78.force("Overwrite existing files");
  declare_input_shape(options, a.max78);
}

Verb verb_check() {
  return {.name = "check",
          .group = group::kNetworks,
          .summary = "Every rule of a target, all findings at once",
          .example = "edgetwin check model.espdl --target esp32s3",
          .declare = declaration_of<CheckArguments>()};
}

}  // namespace edgetwin::cli
