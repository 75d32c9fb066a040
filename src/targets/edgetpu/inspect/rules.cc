#include "targets/edgetpu/inspect/finding.h"

namespace edgetwin::edgetpu {
namespace {

constexpr RuleInfo kRules[] = {
#define RULE(name, id, severity, title, text, evidence) \
  {Rule::name, #name, id, Severity::severity, title, text, RuleEvidence::evidence},
#include "targets/edgetpu/inspect/rules.def"
#undef RULE
};

}  // namespace

std::string_view name(RuleEvidence evidence) {
  switch (evidence) {
    case RuleEvidence::vendor_source:
      return "vendor source";
    case RuleEvidence::recorded:
      return "recorded";
    case RuleEvidence::inferred:
      return "inferred";
  }
  return "";
}

std::span<const RuleInfo> all_rules() { return kRules; }
const RuleInfo& info(Rule rule) { return kRules[static_cast<size_t>(rule)]; }

const RuleInfo* find_rule(std::string_view id) {
  for (const RuleInfo& r : kRules) {
    if (r.id == id) return &r;
  }
  return nullptr;
}

Finding finding(Rule rule, const std::string& place, std::string message) {
  const RuleInfo& r = info(rule);
  return {r.severity, std::string(r.id), place, std::move(message), std::string(r.text)};
}

}  // namespace edgetwin::edgetpu
