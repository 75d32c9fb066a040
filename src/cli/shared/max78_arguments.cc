#include "cli/shared/max78_arguments.h"

#include "targets/max78/planner/planner.h"

namespace edgetwin::cli {

void declare_max78_inputs(OptionSet& all, Max78Arguments& a) {
  OptionSet options = all.in_group(kMax78Group);
  const OptionHandle checkpoint =
      options.file("--checkpoint", a.checkpoint, "Quantized checkpoint of a network, .pth.tar");
  OptionHandle weights = options.file(
      "--weights", a.weights,
      "Or its weights, .npy arrays one after the other;\nxs32:SEED: pseudo-random ones");
  weights.excludes(checkpoint);
  options.file("--bias", a.bias, "And its biases, .npy or xs32:SEED").needs(weights);
  options.file("--sample", a.sample,
               "Its input: .npy of (channels, rows, columns), a picture, a .wav,\nor xs32:SEED");
  options.keep_unknown(a.options);
}

OptionHandle declare_calibrate(OptionSet& options, Max78Arguments& a) {
  return options
      .several("--calibrate", a.calibrate, "PATH ..",
               "Of a float network: folder of pictures or .npy, or an .npy or .npz\nwith a sample "
               "per row")
      .not_empty()
      .kind(ValueKind::file);
}

OptionHandle declare_objective(OptionSet& options, Max78Arguments& a) {
  return options
      .text("--objective", a.objective, "WHAT",
            "What the plan makes least: latency (default), energy or\nmemory")
      .choices(max78::objective_names());
}

void declare_max78_page(OptionSet& all, Max78Arguments& a) {
  OptionSet options = all.in_group(kMax78Group);
  options.file("--report", a.report, "Also writes a page with a map of the memories");
  options.file("--image", a.image, "Also writes the map of the memories, .png");
  options.formerly("--picture", a.image);
}

void declare_input_shape(OptionSet& all, Max78Arguments& a) {
  OptionSet options = all.in_group(kMax78Group);
  options
      .text("--input-shape", a.shape, "CxHxW",
            "Size of the input where no sample is given, such as 3x32x32")
      .not_empty();
}

}  // namespace edgetwin::cli
