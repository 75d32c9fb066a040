#include "targets/espdl/check/rules.h"

#include <array>

namespace edgetwin::targets::espdl {
namespace {

constexpr std::array kRules = {
#define RULE EDGETWIN_RULE
#include "targets/espdl/check/rules.def"
#undef RULE
};

}  // namespace

const RuleInfo& info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

RuleTable all_rules() { return kRules; }

std::string rules_markdown() {
  std::string text =
      "# Rules for ESP-DL models\n\n"
      "Made by `cmake --build build/release --target update_docs` from "
      "`src/targets/espdl/check/rules.def`; a test holds the two together.\n\n"
      "A finding names one of these ids, the operator and the calculation. The severity is the "
      "usual one: where a target can live with it, a finding says so and is milder. What a rule "
      "rests on is its evidence.\n\n"
      "Errors of importing and planning that no rule covers appear with their own ids, which "
      "`edgetwin explain` knows too.\n\n"
      "| id | severity | rule | what to do | evidence |\n|---|---|---|---|---|\n";
  for (const RuleInfo& row : kRules) {
    text += "| `" + std::string(row.id) + "` | " + std::string(name(row.severity)) + " | **" +
            std::string(row.title) + ".** " + std::string(row.text) + " | " +
            std::string(row.remedy) + " | " + std::string(name(row.evidence)) + " |\n";
  }
  return text;
}

}  // namespace edgetwin::targets::espdl
