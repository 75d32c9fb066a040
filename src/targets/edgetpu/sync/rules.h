// The rules of rules.def, and what a run broke as findings.
#pragma once

#include <string>
#include <vector>

#include "base/rule.h"
#include "targets/edgetpu/sync/sync.h"

namespace edgetwin::edgetpu::sync {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "targets/edgetpu/sync/rules.def"
#undef RULE
};
const RuleInfo& info(Rule rule);
RuleTable all_rules();

// A finding for a standstill, with every engine that waits, and one for each pair of instructions
// that race. `place` names the executable.
std::vector<Finding> findings_of(const SyncReport& report, const std::string& place);
size_t errors_in(const std::vector<Finding>& findings);

}  // namespace edgetwin::edgetpu::sync
