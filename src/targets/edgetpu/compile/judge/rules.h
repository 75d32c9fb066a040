// Why an operator stays on the host.
#pragma once

#include <cstdint>
#include <string>

#include "base/rule.h"

namespace edgetwin::edgetpu::compiler {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "targets/edgetpu/compile/judge/rules.def"
#undef RULE
};
const RuleInfo& info(Rule rule);
RuleTable all_rules();

struct Refusal {
  Rule rule = Rule::operator_kind;
  size_t op = 0;  // of the graph
  std::string message;
  // It is about the group's beginning or end, not about the operator: it may be in another group.
  bool at_edge = false;
  bool too_large = false;  // parts of its tensors may do
};

}  // namespace edgetwin::edgetpu::compiler
