#include "targets/max78/rules/document.h"

#include "targets/max78/options/options.h"
#include "targets/max78/rules/rules.h"

namespace edgetwin::max78 {
namespace {

// What the row's option does here.
std::string effect(const OptionInfo& row) {
  switch (row.kind) {
    case OptionInfo::Kind::sets:
    case OptionInfo::Kind::takes_value:
    case OptionInfo::Kind::takes_list:
      return "as in the vendor's loader";
    case OptionInfo::Kind::silent:
      return "accepted; changes nothing here";
    case OptionInfo::Kind::renamed:
      return row.reason.starts_with('-') ? "taken as `" + std::string(row.reason) + "`"
                                         : "taken as " + std::string(row.reason);
    case OptionInfo::Kind::refused:
      break;
  }
  return "refused: " + std::string(row.reason);
}

std::string value_text(const OptionInfo& row) {
  if (row.kind == OptionInfo::Kind::takes_list) return " [N,N]";
  return row.values > 0 ? " X" : "";
}

// Options that the loader does not have.
bool is_ours(std::string_view name) { return name == "--numerics" || name == "--upstream-bugs"; }

}  // namespace

std::string rules_markdown() {
  std::string text =
      "# Rules and options for MAX78000 and MAX78002\n\n"
      "Made by `cmake --build build/release --target update_docs` from "
      "`src/targets/max78/rules/rules.def` and `options/options.def`; a test holds them "
      "together.\n\n"
      "## Rules\n\n"
      "A finding names one of these ids, the layer with its line, and the calculation. All "
      "findings "
      "of a run come at once. An error means that there is no program. The rules are the checks of "
      "the vendor's loader, and the limits of the registers that it writes without a check. The "
      "rules of the description and of the parameters, `MAX78-NET-..`, `MAX78-PAR-..`, "
      "`MAX78-SMP-..` and `MAX78-QNT-..`, are in `edgetwin explain`.\n\n"
      "| id | severity | rule | what to do |\n|---|---|---|---|\n";
  for (const RuleInfo& row : all_rules()) {
    text += "| `" + std::string(row.id) + "` | " + std::string(name(row.severity)) + " | " +
            std::string(row.title) + " | " + std::string(row.remedy) + " |\n";
  }
  text +=
      "\n## Options of the vendor's loader\n\n"
      "`run`, `check`, `compile` and `info` take them under its names, with the value after a "
      "blank or `=`. Called by the name `ai8xize.py` the program takes the loader's whole command "
      "line ([below its own name](max78.md#the-vendors-command-lines)).\n\n| option | here "
      "|\n|---|---|\n";
  for (const OptionInfo& row : all_options()) {
    text += "| `" + std::string(row.name) + value_text(row) + "` | " +
            (is_ours(row.name) ? "an option of this program: [see](max78.md)" : effect(row)) +
            " |\n";
  }
  return text;
}

}  // namespace edgetwin::max78
