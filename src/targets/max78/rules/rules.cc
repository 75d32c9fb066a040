#include "targets/max78/rules/rules.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

constexpr RuleInfo kRules[] = {
#define RULE(name, id, severity, meaning, cure) \
  {Rule::name, #name, id, Severity::severity, meaning, cure},
#include "targets/max78/rules/rules.def"
#undef RULE
};

}  // namespace

std::span<const RuleInfo> all_rules() { return kRules; }
const RuleInfo& info(Rule rule) { return kRules[static_cast<int>(rule)]; }

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
  error.hint = info(finding.rule).cure;
  return error;
}

}  // namespace edgetwin::max78
