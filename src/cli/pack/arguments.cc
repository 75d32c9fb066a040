#include "cli/pack/arguments.h"

#include "cli/shared/compute_arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, PackArguments& a) {
  options.positional("FILE", a.files, "Models, or folders of them").required();
  options.file("-o,--output", a.output, "The package").required();
  options.number("--format", a.format, "N", "PDL1, PDL2 or PDL3: 1, 2 or 3").range(1, 3);
  options.text("--version-text", a.text, "TEXT", "Of PDL3, at most 15 characters; v1.0 without it");
  declare_key(options, a.key);
  options.force("Overwrite an existing file");
}

void declare(OptionSet& options, UnpackArguments& a) {
  options.positional("FILE", a.file, "A package: PDL1, PDL2 or PDL3").required();
  options.folder("-o,--output", a.output, "Folder for the models").required();
  declare_key(options, a.key);
  options.force("Overwrite existing files");
}

Verb verb_pack() {
  return {.name = "pack",
          .group = group::kEspdl,
          .summary = "Puts .espdl models into one package",
          .example = "edgetwin pack a.espdl b.espdl -o both.espdl",
          .declare = declaration_of<PackArguments>()};
}

Verb verb_unpack() {
  return {.name = "unpack",
          .group = group::kEspdl,
          .summary = "Takes a package of .espdl models apart",
          .example = "edgetwin unpack both.espdl -o models",
          .declare = declaration_of<UnpackArguments>()};
}

}  // namespace edgetwin::cli
