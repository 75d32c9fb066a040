#include "twin/tensors/rules.h"

namespace edgetwin::twin {
namespace {

constexpr RuleInfo kTensorRules[] = {
#define RULE EDGETWIN_RULE
#include "twin/tensors/rules.def"
#undef RULE
};

}  // namespace

RuleTable tensor_rules() { return kTensorRules; }

Error error_of(TensorRule rule, std::string message) {
  const RuleInfo& row = kTensorRules[static_cast<size_t>(rule)];
  const bool environment = row.exit_code == info(ErrorCode::device).exit_code;
  return Error(environment ? ErrorCode::device : ErrorCode::usage, std::move(message))
      .of_rule(std::string(row.id))
      .with_hint(std::string(row.remedy));
}

}  // namespace edgetwin::twin
