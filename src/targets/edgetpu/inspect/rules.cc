#include "targets/edgetpu/inspect/finding.h"

namespace edgetwin::edgetpu {
namespace {

constexpr RuleInfo kRules[] = {
#define RULE EDGETWIN_RULE
#include "targets/edgetpu/inspect/rules.def"
#undef RULE
};

}  // namespace

RuleTable all_rules() { return kRules; }
const RuleInfo& info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

Finding finding(Rule rule, const std::string& place, std::string message) {
  return finding_of(info(rule), place, std::move(message));
}

}  // namespace edgetwin::edgetpu
