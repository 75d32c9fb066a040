// Errors of tables of tensors: the table is rules.def.
#pragma once

#include <string>

#include "base/error.h"
#include "base/rule.h"

namespace edgetwin::twin {

enum class TensorRule : uint8_t {
#define RULE(name, ...) name,
#include "twin/tensors/rules.def"
#undef RULE
};

RuleTable tensor_rules();
// With the rule's id and remedy; its code is `usage` or `device`, which have the same exit code.
Error error_of(TensorRule rule, std::string message);

}  // namespace edgetwin::twin
