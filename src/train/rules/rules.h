// The rules of training (rules.def) as errors.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/rule.h"

namespace edgetwin::train {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "train/rules/rules.def"
#undef RULE
};

const RuleInfo& info(Rule rule);
RuleTable all_rules();

// An error with the rule's id, remedy and exit code.
Error broken(Rule rule, std::string message);

}  // namespace edgetwin::train
