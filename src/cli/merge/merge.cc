#include "base/file.h"
#include "cli/merge/arguments.h"
#include "cli/shared/exit_codes.h"
#include "edgetwin/evaluate.h"
#include "evaluate/parts/list_part.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::cli {

void declare(OptionSet& options, MergeArguments& a) {
  options
      .positional("PART", a.parts,
                  "What `--shard K/N -o FILE` of `evaluate`, `verify` or `quantize` wrote,\nall N, "
                  "in any order")
      .required();
  options.file("-o,--output", a.output, "File for the figures (JSON)");
  options.file("--report", a.report,
               "Page with the figures and the worst samples, without pictures");
  options.force("Overwrite existing outputs");
}

namespace {

using NamedList = std::pair<std::string, evaluation::ListPart>;

// The parts of `verify` and `quantize`; empty where they are those of an evaluation.
Result<std::vector<NamedList>> list_parts(const MergeArguments& a) {
  std::vector<NamedList> lists;
  for (const std::string& file : a.parts) {
    EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
    const auto document = Json::parse(as_text(data), file);
    const bool is_list = document.ok() && evaluation::is_list_part(*document);
    if (!is_list && lists.empty()) return lists;
    if (!is_list) {
      return evaluation::broken(evaluation::Rule::part_other,
                                "this is part of another work than " + lists[0].first)
          .in_file(file);
    }
    EDGETWIN_TRY_ASSIGN(evaluation::ListPart part, evaluation::read_list_part(*document, file));
    lists.emplace_back(file, std::move(part));
  }
  return lists;
}

Result<int> merge_all(const std::vector<NamedList>& lists, const MergeArguments& a,
                      Console& console) {
  if (!a.report.empty()) {
    return Error(ErrorCode::usage, "--report goes with parts of `evaluate`");
  }
  EDGETWIN_TRY_ASSIGN(const evaluation::ListPart whole, evaluation::merge_lists(lists));
  const Json document = evaluation::list_json(whole);
  if (!a.output.empty()) EDGETWIN_TRY(a.output.write(document.text()));
  console.print(evaluation::list_text(whole));
  console.json().set("result", document);
  return whole.yes() ? kYes : kNo;
}

}  // namespace

Result<int> execute(const MergeArguments& a, Console& console) {
  EDGETWIN_TRY(a.output.check());
  EDGETWIN_TRY(a.report.check());
  EDGETWIN_TRY_ASSIGN(const auto lists, list_parts(a));
  if (!lists.empty()) return merge_all(lists, a, console);
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
          .summary = "Parts that --shard made as the whole",
          .example = "edgetwin merge part1.json part2.json -o result.json",
          .declare = declaration_of<MergeArguments>()};
}

}  // namespace edgetwin::cli
