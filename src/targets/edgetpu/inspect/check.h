// Judging compiled models: frame, branches, loops, address fields, transfers, layers. The table of
// rules is rules.def.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu {

enum class Rule : uint8_t {
#define RULE(name, id, severity, title, text, evidence) name,
#include "targets/edgetpu/inspect/rules.def"
#undef RULE
};

enum class RuleEvidence : uint8_t { vendor_source, recorded, inferred };
std::string_view name(RuleEvidence evidence);

struct RuleInfo {
  Rule rule;
  std::string_view name, id;
  Severity severity;
  std::string_view title, text;
  RuleEvidence evidence;
};

std::span<const RuleInfo> all_rules();
const RuleInfo& info(Rule rule);
const RuleInfo* find_rule(std::string_view id);  // null if there is none

// Everything that is wrong with a bitstream by itself. `place` names it in findings.
std::vector<Finding> check_bitstream(const darwinn::Bitstream& bitstream, const std::string& place);

struct ExecutableCheck {
  std::string place;  // "0.0.0 EXECUTION_ONLY"
  size_t bitstreams = 0, instructions = 0;
  bool ran = false;  // the scalar core came to its end
  TransferCheck transfers;
};

struct ModelCheck {
  std::vector<ExecutableCheck> executables;
  std::vector<Finding> findings;  // in the order of the file
  bool has_errors() const;
  bool has_warnings() const;
};

ModelCheck check(const darwinn::File& file);

}  // namespace edgetwin::edgetpu
