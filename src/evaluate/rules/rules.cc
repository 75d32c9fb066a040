#include "evaluate/rules/rules.h"

namespace edgetwin::evaluation {
namespace {

constexpr RuleInfo kRules[] = {
#define RULE EDGETWIN_RULE
#include "evaluate/rules/rules.def"
#undef RULE
};

}  // namespace

const RuleInfo& info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

RuleTable all_rules() { return kRules; }

Error broken(Rule rule, std::string message) {
  const RuleInfo& row = info(rule);
  // The code that ends the program as the rule says.
  return Error(row.exit_code == 4 ? ErrorCode::device : ErrorCode::bad_value, std::move(message))
      .of_rule(std::string(row.id))
      .with_hint(std::string(row.remedy));
}

}  // namespace edgetwin::evaluation
