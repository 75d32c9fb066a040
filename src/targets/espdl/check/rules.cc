#include "targets/espdl/check/rules.h"

#include <array>

namespace edgetwin::targets::espdl {
namespace {

constexpr std::array kRules = {
#define RULE(name, id, severity, title, text, evidence) \
  RuleInfo{Rule::name, #name, id, Severity::severity, title, text, Evidence::evidence},
#include "targets/espdl/check/rules.def"
#undef RULE
};

std::string_view text_of(Severity severity) {
  if (severity == Severity::error) return "error";
  return severity == Severity::warning ? "warning" : "note";
}

}  // namespace

std::string_view name(Evidence evidence) {
  constexpr std::array<std::string_view, 4> kNames = {"vendor source", "vendor document",
                                                      "recorded results", "inferred"};
  return kNames[static_cast<size_t>(evidence)];
}

const RuleInfo& info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

std::span<const RuleInfo> all_rules() { return kRules; }

const RuleInfo* find_rule(std::string_view id) {
  for (const RuleInfo& row : kRules) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

std::string rules_markdown() {
  std::string text =
      "# Rules for ESP-DL models\n\n"
      "Made by `cmake --build build/release --target update_docs` from "
      "`src/targets/espdl/check/rules.def`; a test holds the two together.\n\n"
      "A finding names one of these ids, the operator and the calculation. The severity is the "
      "usual one: where a target can live with it, a finding says so and is milder. What a rule "
      "rests on is its evidence.\n\n"
      "Errors of lowering and planning that no rule foresees appear with their own ids, which "
      "`edgetwin explain` knows too.\n\n"
      "| id | severity | rule | evidence |\n|---|---|---|---|\n";
  for (const RuleInfo& row : kRules) {
    text += "| `" + std::string(row.id) + "` | " + std::string(text_of(row.severity)) + " | **" +
            std::string(row.title) + ".** " + std::string(row.text) + " | " +
            std::string(name(row.evidence)) + " |\n";
  }
  return text;
}

}  // namespace edgetwin::targets::espdl
