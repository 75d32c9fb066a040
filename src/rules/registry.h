// All rules of the program in one list: its errors, and what checks, machines and the virtual
// device may find. The one place that names every table; the columns are those of base/rule.h.
#pragma once

#include <span>
#include <string_view>

#include "base/rule.h"

namespace edgetwin::rules {

struct NamedTable {
  std::string_view about;  // "check of ESP-DL models"; empty for errors
  std::string_view page;   // "docs/espdl-rules.md"; may be empty
  RuleTable rows;
};

std::span<const NamedTable> all_tables();

struct FoundRule {
  const RuleInfo* rule = nullptr;
  const NamedTable* table = nullptr;
};
// By id, as in "FMT-NPY-01"; both null where no rule has it.
FoundRule find(std::string_view id);

}  // namespace edgetwin::rules
