// What the three `lut` verbs share: from arguments to a table's description, and from results to
// text and JSON.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/lut/arguments.h"
#include "lut/error_report.h"
#include "lut/table.h"
#include "report/format.h"
#include "report/json.h"

namespace edgetwin::cli {

// Errors: usage where the function is unknown or `needs` names an option that was not given.
struct LutNeeds {
  bool out_exponent = true, width = true, target = true;
};
Result<lut::TableSpec> lut_spec(const LutSpecArguments& arguments, const LutNeeds& needs);

// Of table entries on a chip with ESP-DL; nothing for another name.
std::optional<numerics::Rounding> lut_rounding(std::string_view target);

// "up to 3.3.7", "from 3.3.8 on"
std::string_view lut_runtimes(lut::LutRule rule);
// The rule of a runtime's version, "3.3.9".
lut::LutRule lut_rule_of(const std::string& version);

// A line per rule: largest error and where, mean, share.
std::string lut_rules_text(const lut::Report& report);

report::Json lut_spec_json(const lut::TableSpec& spec);
report::Json lut_deviation_json(const lut::TableSpec& spec, const lut::Deviation& deviation);
report::Json lut_rule_json(const lut::TableSpec& spec, const lut::RuleReport& rule);

}  // namespace edgetwin::cli
