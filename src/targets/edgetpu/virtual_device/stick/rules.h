// What the virtual device finds wrong with how it is driven. The table is rules.def.
#pragma once

#include <string>
#include <vector>

#include "base/rule.h"

namespace edgetwin::edgetpu {

enum class StickRule : uint8_t {
#define RULE(name, ...) name,
#include "targets/edgetpu/virtual_device/stick/rules.def"
#undef RULE
};

const RuleInfo& info(StickRule rule);
RuleTable all_stick_rules();

// Findings in the order in which they came up, each once; a limit keeps a hostile host from filling
// the memory.
class StickFindings {
 public:
  void add(StickRule rule, const std::string& place, std::string message);
  const std::vector<Finding>& all() const { return list_; }
  const Finding* first_error() const;  // null if there is none
  size_t left_out() const { return left_out_; }
  void clear();

 private:
  std::vector<Finding> list_;
  size_t left_out_ = 0;
};

}  // namespace edgetwin::edgetpu
