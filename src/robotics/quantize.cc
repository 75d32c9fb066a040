#include "robotics/quantize.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace edgetwin::robotics {
namespace {

Error not_finite(std::span<const float> values) {
  const auto bad =
      std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  return Error(ErrorCode::module_input,
               "value " + std::to_string(bad - values.begin()) + " is not a finite number");
}

template <class T>
constexpr float kLow = std::is_signed_v<T> ? -128.0F : 0.0F;
template <class T>
constexpr float kHigh = std::is_signed_v<T> ? 127.0F : 255.0F;

// False where a value is not finite. The limits are whole, so that rounding after them gives the
// same as before.
template <class T>
bool quantize_plain(const float* from, size_t count, float divisor, float zero, T* to) {
  bool finite = true;
  for (size_t i = 0; i < count; ++i) {
    finite = finite && std::isfinite(from[i]);
    const float v = from[i] / divisor + zero;
    // Written so that what is no number becomes the limit.
    const float limited = v > kLow<T> ? (v < kHigh<T> ? v : kHigh<T>) : kLow<T>;
    to[i] = static_cast<T>(std::nearbyint(limited));
  }
  return finite;
}

#if defined(__x86_64__)
#define EDGETWIN_AVX2 __attribute__((target("avx2")))

struct Scaling {
  float divisor, zero, low, high;
};

// Eight values as 32-bit integers; `*poison` gets a bit where a value times 0 is not 0.
EDGETWIN_AVX2 inline __m256i eight(const float* from, const Scaling& s, __m256* poison) {
  const __m256 v = _mm256_loadu_ps(from);
  const __m256 nothing = _mm256_mul_ps(v, _mm256_setzero_ps());
  *poison = _mm256_or_ps(*poison, _mm256_cmp_ps(nothing, nothing, _CMP_UNORD_Q));
  const __m256 scaled =
      _mm256_add_ps(_mm256_div_ps(v, _mm256_set1_ps(s.divisor)), _mm256_set1_ps(s.zero));
  const __m256 limited =
      _mm256_min_ps(_mm256_max_ps(scaled, _mm256_set1_ps(s.low)), _mm256_set1_ps(s.high));
  // In the rounding of the processor: half to even, unless someone changed it.
  return _mm256_cvtps_epi32(limited);
}

template <class T>
EDGETWIN_AVX2 bool quantize_avx2(const float* from, size_t count, float divisor, float zero,
                                 T* to) {
  const Scaling s{divisor, zero, kLow<T>, kHigh<T>};
  __m256 poison = _mm256_setzero_ps();
  size_t i = 0;
  for (; i + 32 <= count; i += 32) {
    const __m256i ab =
        _mm256_packs_epi32(eight(from + i, s, &poison), eight(from + i + 8, s, &poison));
    const __m256i cd =
        _mm256_packs_epi32(eight(from + i + 16, s, &poison), eight(from + i + 24, s, &poison));
    const __m256i bytes =
        std::is_signed_v<T> ? _mm256_packs_epi16(ab, cd) : _mm256_packus_epi16(ab, cd);
    // Packing works on halves: put the groups of four back in order.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                        _mm256_permutevar8x32_epi32(bytes, order));
  }
  const bool rest = quantize_plain(from + i, count - i, divisor, zero, to + i);
  return _mm256_movemask_ps(poison) == 0 && rest;
}
#endif

template <class T>
Status quantize(std::span<const float> values, float scale, int zero_point, T* to) {
  if (!(scale >= 0.0F)) {
    return Error(ErrorCode::module_input, "a scale of " + std::to_string(scale) + " is below 0");
  }
  const float divisor = std::max(scale, kLeastScale);
  const auto zero = static_cast<float>(zero_point);
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  const bool finite = has_avx2 ? quantize_avx2(values.data(), values.size(), divisor, zero, to)
                               : quantize_plain(values.data(), values.size(), divisor, zero, to);
#else
  const bool finite = quantize_plain(values.data(), values.size(), divisor, zero, to);
#endif
  return finite ? Status(Ok{}) : Status(not_finite(values));
}

}  // namespace

Status quantize_uint8(std::span<const float> values, float scale, int zero_point,
                      std::span<std::byte> to) {
  return quantize(values, scale, zero_point, reinterpret_cast<uint8_t*>(to.data()));
}

Status quantize_int8(std::span<const float> values, float scale, int zero_point,
                     std::span<int8_t> to) {
  return quantize(values, scale, zero_point, to.data());
}

Result<Bytes> quantize_uint8(std::span<const float> values, float scale, int zero_point) {
  Bytes to(values.size());
  EDGETWIN_TRY(quantize_uint8(values, scale, zero_point, std::span(to)));
  return to;
}

Result<std::vector<int8_t>> quantize_int8(std::span<const float> values, float scale,
                                          int zero_point) {
  std::vector<int8_t> to(values.size());
  EDGETWIN_TRY(quantize_int8(values, scale, zero_point, std::span(to)));
  return to;
}

std::vector<float> dequantize(ByteSpan bytes, float scale, int zero_point) {
  std::vector<float> real(bytes.size());
  std::transform(bytes.begin(), bytes.end(), real.begin(), [&](std::byte b) {
    return static_cast<float>(static_cast<int>(b) - zero_point) * scale;
  });
  return real;
}

}  // namespace edgetwin::robotics
