#include "quantize/espdl/plan/settings.h"

namespace edgetwin::quantize {

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
  s.passes.fit_runtime = false;
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
