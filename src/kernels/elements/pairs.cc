#include "kernels/elements/pairs.h"

#include <algorithm>

#include "kernels/arm/tables.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

PairKernel pair_kernel(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  if (isa == Isa::avx512_vnni) return pairs_avx512;
  if (isa == Isa::avx2 || isa == Isa::avx_vnni) return pairs_avx2;
#elif defined(__aarch64__)
  return pairs_neon;
#endif
  return nullptr;
}

// Doubling the number makes the high half of twice the product a shift by 32. Double rounding: half
// of the divisor joins the product's own half above it, less one for negative numbers (ties away
// from zero). Single rounding: one half of the whole divisor.
std::optional<FixedStage> fixed_stage(numerics::QuantizedMultiplier m,
                                      numerics::Requantization rounding, int64_t low, int64_t high,
                                      int scaled) {
  constexpr int kMostRight = 29;  // the addend stays below 2^62
  const int right = std::max(0, -m.shift);
  const int left = std::max(0, m.shift) + scaled + 1;
  if (m.multiplier < 0 || right > kMostRight || left > 31) return std::nullopt;
  const int64_t power = int64_t{1} << left;
  if (low * power < INT32_MIN || high * power > INT32_MAX) return std::nullopt;
  FixedStage stage{.multiplier = m.multiplier, .left = left, .right = right};
  const int64_t half = int64_t{1} << (31 + right);
  if (rounding == numerics::Requantization::single_rounding) {
    stage.addend = half;
  } else {
    stage.addend = (int64_t{1} << 31) + (right > 0 ? half : 0);
    stage.sign = right > 0 ? 31 : 32;
  }
  return stage;
}

int32_t apply(const FixedStage& s, int32_t x) {
  const int64_t shifted = int64_t{x} * (int64_t{1} << s.left);
  const int64_t high = (shifted * s.multiplier + s.addend) >> 32;
  return static_cast<int32_t>((high - (s.sign == 31 && x < 0 ? 1 : 0)) >> s.right);
}

}  // namespace edgetwin::kernels
