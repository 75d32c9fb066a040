// Names of the ways to a scale.
#include <iterator>

#include "targets/max78/quantize/quantize.h"

namespace edgetwin::max78 {
namespace {

constexpr std::string_view kMethods[] = {"MAX_BIT_SHIFT", "AVGMAX", "MAX", "STDDEV", "SCALE"};

}  // namespace

std::string_view name(ClipMethod method) { return kMethods[static_cast<size_t>(method)]; }

std::optional<ClipMethod> clip_method(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  if (upper == "AVG") return ClipMethod::avgmax;
  for (size_t i = 0; i < std::size(kMethods); ++i) {
    if (kMethods[i] == upper) return static_cast<ClipMethod>(i);
  }
  return std::nullopt;
}

}  // namespace edgetwin::max78
