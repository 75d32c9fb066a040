// The ways to make a range of observed values: the table observers.def.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace edgetwin::quantize {

// How a range is made of what calibration has seen: one row of observers.def each.
enum class Method : uint8_t {
#define OBSERVER(name, rounding, what) name,
#include "quantize/calibration/observers.def"
#undef OBSERVER
};
struct MethodInfo {
  Method method;
  std::string_view name;
  std::string_view what;
};
const std::vector<MethodInfo>& all_methods();
std::string_view name(Method method);
std::optional<Method> method_by_name(std::string_view text);

}  // namespace edgetwin::quantize
