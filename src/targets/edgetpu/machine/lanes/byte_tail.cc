#include "targets/edgetpu/machine/lanes/byte_tail.h"

#include <algorithm>
#include <cmath>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace edgetwin::edgetpu::machine {

namespace {

constexpr float kInside = 4194304.0F;  // of numerics::edgetpu::nearest_even()
constexpr float kUnitSteps = 12582912.0F;

#if defined(__SSE2__)
// Four numbers of 32 bits, before they are limited to bytes.
__m128i integers(const ByteTail& tail, const int32_t* sums, const float* m) {
  const __m128 sum = _mm_cvtepi32_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(sums)));
  // In this order of operands NaN stays what it is.
  const __m128 product = _mm_mul_ps(sum, _mm_loadu_ps(m));
  const __m128 limited =
      _mm_min_ps(_mm_set1_ps(tail.clamp.high), _mm_max_ps(_mm_set1_ps(tail.clamp.low), product));
  const __m128 unit = _mm_set1_ps(kUnitSteps);
  const __m128 integer = _mm_sub_ps(_mm_add_ps(limited, unit), unit);
  return _mm_add_epi32(_mm_cvttps_epi32(integer), _mm_set1_epi32(tail.zero));
}

// Returns how many lanes are done.
int bytes_of_eights(const ByteTail& tail, const int32_t* sums, const float* m, int lanes,
                    uint8_t* out) {
  int l = 0;
  for (; l + 8 <= lanes; l += 8) {
    const __m128i words =
        _mm_packs_epi32(integers(tail, sums + l, m + l), integers(tail, sums + l + 4, m + l + 4));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(out + l), _mm_packus_epi16(words, words));
  }
  return l;
}
#else
int bytes_of_eights(const ByteTail&, const int32_t*, const float*, int, uint8_t*) { return 0; }
#endif

}  // namespace

bool has_byte_limits(const ByteTail& tail) {
  const numerics::EdgetpuOptions& o = tail.options;
  const bool usual = !o.truncate_large && !o.zero_point_first &&
                     o.ties == numerics::Rounding::half_even && std::abs(tail.zero) <= 255;
  return usual && tail.clamp.low > -kInside && tail.clamp.high < kInside &&
         tail.clamp.low <= tail.clamp.high;
}

ByteTail with_byte_limits(ByteTail tail) {
  constexpr float kMost = kInside - 1.0F;  // far from a byte's numbers
  tail.clamp.low = std::max(tail.clamp.low, -kMost);
  tail.clamp.high = std::min(tail.clamp.high, kMost);
  return tail;
}

void bytes_of_sums(const ByteTail& tail, const int32_t* sums, const float* m, int lanes,
                   uint8_t* out) {
  const float low = tail.clamp.low, high = tail.clamp.high;
  const int32_t zero = tail.zero;
  for (int l = bytes_of_eights(tail, sums, m, lanes, out); l < lanes; ++l) {
    const float product = static_cast<float>(sums[l]) * m[l];
    const float limited = std::min(std::max(product, low), high);
    const auto integer = static_cast<int32_t>((limited + kUnitSteps) - kUnitSteps);
    out[l] = static_cast<uint8_t>(std::clamp(integer + zero, 0, 255));
  }
}

}  // namespace edgetwin::edgetpu::machine
