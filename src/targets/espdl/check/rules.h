// The rules by which models for ESP-DL targets are judged; the table is rules.def, and its page
// docs/espdl-rules.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/log.h"

namespace edgetwin::targets::espdl {

enum class Rule : uint8_t {
#define RULE(name, id, severity, title, text, evidence) name,
#include "targets/espdl/check/rules.def"
#undef RULE
};

// What a rule rests on.
enum class Evidence : uint8_t {
  vendor_source,    // read in the runtime's or exporter's source
  vendor_document,  // stated in the vendor's documents
  recorded,         // seen in recorded results or shipped files
  inferred,         // concluded from the others; nobody has seen it fail
};
std::string_view name(Evidence evidence);  // "vendor source"

struct RuleInfo {
  Rule rule;
  std::string_view name;
  std::string_view id;
  Severity severity;
  std::string_view title;
  std::string_view text;
  Evidence evidence;
};

const RuleInfo& info(Rule rule);
// In the order of rules.def.
std::span<const RuleInfo> all_rules();
// By id, as in "ESPDL-EXP-01"; null if there is none.
const RuleInfo* find_rule(std::string_view id);

// docs/espdl-rules.md.
std::string rules_markdown();

}  // namespace edgetwin::targets::espdl
