// The rules of the chips (rules.def).
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

// Of these rules. place.layer_number is empty where a finding is about the network.
using Findings = std::vector<Finding>;

inline bool is(const Finding& finding, Rule rule) { return finding.id == info(rule).id; }

}  // namespace edgetwin::max78
