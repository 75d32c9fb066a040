#include "base/rule.h"

#include <utility>

namespace edgetwin {

std::string_view name(Evidence evidence) {
  constexpr std::string_view kNames[] = {"definition",       "vendor source", "vendor document",
                                         "recorded results", "inferred",      "open"};
  return kNames[static_cast<size_t>(evidence)];
}

Finding finding_of(const RuleInfo& rule, Place place, std::string message) {
  Finding f;
  f.severity = rule.severity;
  f.id = rule.id;
  f.place = std::move(place);
  f.message = std::move(message);
  f.hint = rule.remedy;
  return f;
}

}  // namespace edgetwin
