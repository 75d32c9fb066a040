#include "cli/timeline/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, TimelineArguments& a) {
  options.positional("MODEL", a.model, "A compiled model, package or executable").required();
  options.repeated(
      "--interleave", a.orders, "SEED",
      "Also in another order: any engine that may go on does, by\nthis seed; 1..20 are "
      "twenty orders");
  options.number("--data", a.data, "SEED", "Of the pseudo-random inputs; 1 without it")
      .range(1, 2147483647);
  options.flag("--no-races", a.no_races,
               "Bytes and time only, without looking at every access; faster");
  options.file("-o,--output", a.trace,
               "Chrome trace (JSON): open it in chrome://tracing or Perfetto");
  const OptionHandle picture =
      options.file("--picture", a.picture, "PNG: the engines of a tile over time");
  options.number("--tile", a.tile, "N", "With --picture: which tile, 0 to 15; 0 without it")
      .range(0, 15)
      .needs(picture);
  options.force("Overwrite existing outputs");
}

Verb verb_timeline() {
  return {.name = "timeline",
          .group = group::kEdgeTpu,
          .summary = "Engines side by side: waits, races, time",
          .example = "edgetwin timeline model_edgetpu.tflite --interleave 1..5",
          .declare = declaration_of<TimelineArguments>()};
}

}  // namespace edgetwin::cli
