#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

constexpr RuleInfo kRules[] = {
#define RULE EDGETWIN_RULE
#include "train/rules/rules.def"
#undef RULE
};

// The code that ends the program as the rule says.
ErrorCode code_of(const RuleInfo& rule) {
  switch (rule.exit_code) {
    case 1:
      return ErrorCode::max78_rules;
    case 2:
      return ErrorCode::usage;
    case 3:
      return ErrorCode::bad_value;
    case 4:
      return ErrorCode::device;
    default:
      return ErrorCode::internal;
  }
}

}  // namespace

const RuleInfo& info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

RuleTable all_rules() { return kRules; }

Error broken(Rule rule, std::string message) {
  const RuleInfo& row = info(rule);
  return Error(code_of(row), std::move(message))
      .of_rule(std::string(row.id))
      .with_hint(std::string(row.remedy));
}

}  // namespace edgetwin::train
