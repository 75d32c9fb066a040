// The rules of the picture pipeline; the table is rules.def.
#pragma once

#include <string>

#include "base/result.h"
#include "base/rule.h"

namespace edgetwin::espdl_image {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "image/espdl/rules.def"
#undef RULE
};

const RuleInfo& info(Rule rule);
RuleTable all_image_rules();

// An error or a finding of this rule, with the remedy of its row.
Error rule_error(Rule rule, std::string message);
Finding rule_finding(Rule rule, std::string message);

}  // namespace edgetwin::espdl_image
