// What the virtual device has to say about how it is driven. The table is rules.def.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"

namespace edgetwin::edgetpu {

enum class StickRule : uint8_t {
#define RULE(name, id, severity, title, text) name,
#include "targets/edgetpu/virtual_device/stick/rules.def"
#undef RULE
};

struct StickRuleInfo {
  StickRule rule;
  std::string_view name, id;
  Severity severity;
  std::string_view title, text;
};

std::span<const StickRuleInfo> all_stick_rules();
const StickRuleInfo& info(StickRule rule);
const StickRuleInfo* find_stick_rule(std::string_view id);  // null if there is none

// Findings in the order in which they came up, each once; a limit keeps a hostile host from filling
// the memory.
class Complaints {
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
