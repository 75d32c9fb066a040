#include "targets/edgetpu/compile/judge/rules.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr RuleInfo kCompileRules[] = {
#define RULE EDGETWIN_RULE
#include "targets/edgetpu/compile/judge/rules.def"
#undef RULE
};

}  // namespace

RuleTable all_rules() { return kCompileRules; }
const RuleInfo& info(Rule rule) { return kCompileRules[static_cast<size_t>(rule)]; }

}  // namespace edgetwin::edgetpu::compiler
