// Judging compiled models: frame, branches, loops, address fields, transfers, layers. The table of
// rules is rules.def.
#pragma once

#include <string>
#include <vector>

#include "base/rule.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu {

enum class Rule : uint8_t {
#define RULE(name, ...) name,
#include "targets/edgetpu/inspect/rules.def"
#undef RULE
};

const RuleInfo& info(Rule rule);
RuleTable all_rules();

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
