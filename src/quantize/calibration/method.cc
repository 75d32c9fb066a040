#include "quantize/calibration/method.h"

namespace edgetwin::quantize {

const std::vector<MethodInfo>& all_methods() {
  static const std::vector<MethodInfo> kMethods = {
#define OBSERVER(name, rounding, what) {Method::name, #name, what},
#include "quantize/calibration/observers.def"
#undef OBSERVER
  };
  return kMethods;
}

std::string_view name(Method method) { return all_methods()[static_cast<size_t>(method)].name; }

std::optional<Method> method_by_name(std::string_view text) {
  for (const MethodInfo& m : all_methods()) {
    if (m.name == text) return m.method;
  }
  return std::nullopt;
}

}  // namespace edgetwin::quantize
