// The rules by which models for ESP-DL targets are judged; the table is rules.def, and its page
// docs/espdl-rules.md.
#pragma once

#include <string>

#include "base/rule.h"

namespace edgetwin::targets::espdl {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "targets/espdl/check/rules.def"
#undef RULE
};

const RuleInfo& info(Rule rule);
RuleTable all_rules();

// docs/espdl-rules.md.
std::string rules_markdown();

}  // namespace edgetwin::targets::espdl
