#include "cli/merge/arguments.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/evaluate.h"

namespace edgetwin::cli {

void declare(OptionSet& options, MergeArguments& a) {
  options
      .positional("PART", a.parts, "What `evaluate --shard K/N -o FILE` wrote, all N, in any order")
      .required();
  options.file("-o,--output", a.output, "File for the figures (JSON)");
  options.file("--report", a.report,
               "Page with the figures and the worst samples, without pictures");
  options.force("Overwrite existing outputs");
}

Result<int> execute(const MergeArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.report.check());
  EDGETWIN_TRY_ASSIGN(const Evaluation made, merge_parts(a.parts, !a.report.empty()));
  if (!a.output.empty()) EDGETWIN_TRY(a.output.write(made.json));
  if (!a.report.empty()) EDGETWIN_TRY(a.report.write(made.page));
  console.print(made.text);
  EDGETWIN_TRY_ASSIGN(const Json document, Json::parse(made.json, "result"));
  console.json().set("result", document);
  return kYes;
}

Verb verb_merge() {
  return {.name = "merge",
          .group = group::kNetworks,
          .summary = "Parts of an evaluation as the whole",
          .example = "edgetwin merge part1.json part2.json -o result.json",
          .declare = declaration_of<MergeArguments>()};
}

}  // namespace edgetwin::cli
