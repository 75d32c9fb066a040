#include "targets/max78/rules/rules.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

constexpr RuleInfo kRules[] = {
#define RULE EDGETWIN_RULE
#include "targets/max78/rules/rules.def"
#undef RULE
};

}  // namespace

RuleTable all_rules() { return kRules; }
const RuleInfo& info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

bool has_errors(const Findings& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const RuleFinding& f) { return f.severity == Severity::error; });
}

Error to_error(const RuleFinding& finding) {
  Error error(ErrorCode::max78_rules,
              (finding.layer < 0 ? "" : finding.layer_name + ": ") + finding.message);
  error.rule = info(finding.rule).id;
  error.place = finding.place;
  error.details = finding.details;
  error.hint = info(finding.rule).remedy;
  return error;
}

}  // namespace edgetwin::max78
