#include "cli/features/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, EnrollArguments& a) {
  options.positional("FEATURE", a.features,
                     "feature.npy, as run --decode espdl-feature -o writes it");
  options.file("--database", a.database, "The database to go on with; a new one without it");
  options.number("--remove", a.remove, "ID", "Removes this feature first").range(1, 65535);
  options.file("-o,--output", a.output, "The database, in the form of the chip's recognizer")
      .required();
  options.force("Overwrite an existing file");
}

void declare(OptionSet& options, MatchArguments& a) {
  options.positional("FEATURE", a.feature, "The feature that is asked for (.npy)").required();
  options.file("--database", a.database, "What `enroll` or the chip wrote").required();
  options.number("--threshold", a.threshold, "X", "Similarity that is no match; 0.5 without it")
      .range(-1.0, 1.0);
  options.number("--top", a.top, "N", "The best so many; 1 without it").range(1, 65535);
}

Verb verb_enroll() {
  return {.name = "enroll",
          .group = group::kEspdl,
          .summary = "Puts features of faces, persons, voices into a database",
          .example = "edgetwin enroll bill/feature.npy musk/feature.npy -o faces.db",
          .declare = declaration_of<EnrollArguments>()};
}

Verb verb_match() {
  return {.name = "match",
          .group = group::kEspdl,
          .summary = "Whose feature it is, as the chip answers",
          .example = "edgetwin match who/feature.npy --database faces.db",
          .declare = declaration_of<MatchArguments>()};
}

}  // namespace edgetwin::cli
