#include "base/rule.h"

namespace edgetwin {

std::string_view name(Severity severity) {
  constexpr std::string_view kNames[] = {"note", "warning", "error"};
  return kNames[static_cast<size_t>(severity)];
}

std::string_view name(Evidence evidence) {
  constexpr std::string_view kNames[] = {"definition",       "vendor source", "vendor document",
                                         "recorded results", "inferred",      "open"};
  return kNames[static_cast<size_t>(evidence)];
}

}  // namespace edgetwin
