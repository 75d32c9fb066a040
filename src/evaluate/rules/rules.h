// The rules of evaluations (rules.def) as errors.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/rule.h"

namespace edgetwin::evaluation {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "evaluate/rules/rules.def"
#undef RULE
};

const RuleInfo& info(Rule rule);
RuleTable all_rules();

// An error with the rule's id, remedy and exit code.
Error broken(Rule rule, std::string message);

}  // namespace edgetwin::evaluation
