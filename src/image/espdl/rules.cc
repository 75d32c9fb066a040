#include "image/espdl/rules.h"

#include <array>

namespace edgetwin::espdl_image {
namespace {

constexpr std::array kImageRules = {
#define RULE EDGETWIN_RULE
#include "image/espdl/rules.def"
#undef RULE
};

}  // namespace

const RuleInfo& info(Rule rule) { return kImageRules[static_cast<size_t>(rule)]; }

RuleTable all_image_rules() { return kImageRules; }

Error rule_error(Rule rule, std::string message) {
  return Error(ErrorCode::image_decode, std::move(message))
      .of_rule(std::string(info(rule).id))
      .with_hint(std::string(info(rule).remedy));
}

Finding rule_finding(Rule rule, std::string message) {
  const RuleInfo& row = info(rule);
  return {row.severity, std::string(row.id), "", std::move(message), std::string(row.remedy)};
}

}  // namespace edgetwin::espdl_image
