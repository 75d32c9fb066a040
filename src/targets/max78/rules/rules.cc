#include "targets/max78/rules/rules.h"

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

}  // namespace edgetwin::max78
