#include "quantize/quantize.h"

namespace edgetwin::quantize {

const std::vector<MethodInfo>& all_methods() {
  static const std::vector<MethodInfo> kMethods = {
#define OBSERVER(name, rounding, what) {Method::name, #name, what},
#include "quantize/observers.def"
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

Settings like_upstream(espdl::Target target, int bits) {
  Settings s;
  s.target = target;
  s.bits = bits;
  s.method = Method::kl;
  s.passes.align_prelu = false;
  s.passes.share_moves = false;
  s.passes.raise_shifts = false;
  s.passes.requantize_inputs = false;
  s.passes.exact_requantize = false;
  return s;
}

numerics::Rounding rounding_of(espdl::Target target) {
  return target == espdl::Target::esp32p4 ? numerics::Rounding::half_even
                                          : numerics::Rounding::half_up;
}

int bias_bits(espdl::Target target, int bits) {
  if (bits == 8) return target == espdl::Target::esp32s3 ? 20 : 32;
  return target == espdl::Target::c ? 64 : 40;
}

}  // namespace edgetwin::quantize
