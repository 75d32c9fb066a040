// The rules of the chips (rules.def) and what a run of the checks has found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/rule.h"

namespace edgetwin::max78 {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "targets/max78/rules/rules.def"
#undef RULE
};

const RuleInfo& info(Rule rule);
RuleTable all_rules();

struct RuleFinding {
  Rule rule{};
  Severity severity = Severity::note;  // the rule's own, unless an option lowers it
  int layer = -1;                      // -1: the network
  std::string layer_name;
  Place place;
  std::string message;
  std::vector<std::string> details;  // the calculation
};

using Findings = std::vector<RuleFinding>;

bool has_errors(const Findings& findings);
// The first error, as an error value of code `rule` (exit code 1, "does not fit").
Error to_error(const RuleFinding& finding);

}  // namespace edgetwin::max78
