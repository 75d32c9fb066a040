#include "targets/edgetpu/machine/lanes/words.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/lanes/dot.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace edgetwin::edgetpu::machine {
namespace {

void multiply_plainly(const kernels::WordWalk& d, const std::byte* const* rows, size_t count,
                      int32_t* sums) {
  for (size_t r = 0; r < count; ++r, sums += kWordLanes) {
    std::copy_n(d.first, kWordLanes, sums);
    const int16_t* factors = d.factors;
    for (size_t k = 0; k < d.length; ++k) {
      const std::byte* x = rows[r] + d.in[k];
      for (size_t half = 0; half < 4; half += 2) {
        for (int l = 0; l < kWordLanes; ++l, factors += 2) {
          add(sums[l], static_cast<int32_t>(x[half]) * factors[0] +
                           static_cast<int32_t>(x[half + 1]) * factors[1]);
        }
      }
    }
  }
}

}  // namespace

bool WordFactors::set(const std::byte* base, const int32_t* lines,
                      const std::array<int32_t, kWordLanes>& zero) {
  all_ = {};
  // A difference from a byte is a word.
  constexpr int32_t kLow = INT16_MIN + 256, kHigh = INT16_MAX;
  const bool small = std::ranges::all_of(zero, [](int32_t z) { return z >= kLow && z <= kHigh; });
#if defined(__SSE2__)
  if (weight_ == 1 && products_ == 4 && small) return set_bytes(base, lines, zero);
#else
  (void)small;
#endif
  return set_numbers(base, lines, zero);
}

bool WordFactors::set_numbers(const std::byte* base, const int32_t* lines,
                              const std::array<int32_t, kWordLanes>& zero) {
  for (size_t k = 0; k < length_; ++k) {
    for (size_t l = 0; l < kWordLanes; ++l) {
      const std::byte* lane = base + lines[k] + l * 4;
      for (size_t i = 0; i < static_cast<size_t>(products_); ++i) {
        uint16_t number = 0;
        const auto size = static_cast<size_t>(weight_);
        std::memcpy(&number, lane + i * size, size);
        const int64_t factor = int64_t{number} - zero[l];
        if (factor < INT16_MIN || factor > INT16_MAX) return false;
        factors_[k * kFactors + i / 2 * 8 + l * 2 + i % 2] = static_cast<int16_t>(factor);
        add(all_[l], static_cast<int32_t>(factor));
      }
    }
  }
  return true;
}

#if defined(__SSE2__)
bool WordFactors::set_bytes(const std::byte* base, const int32_t* lines,
                            const std::array<int32_t, kWordLanes>& zero) {
  const auto z = [&](size_t l) { return static_cast<int16_t>(zero[l]); };
  const __m128i low_zero = _mm_setr_epi16(z(0), z(0), z(0), z(0), z(1), z(1), z(1), z(1));
  const __m128i high_zero = _mm_setr_epi16(z(2), z(2), z(2), z(2), z(3), z(3), z(3), z(3));
  const __m128i none = _mm_setzero_si128(), ones = _mm_set1_epi16(1);
  __m128i all = none;
  for (size_t k = 0; k < length_; ++k) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(base + lines[k]));
    // Of a lane the first two numbers, then the others.
    const __m128 low = _mm_castsi128_ps(_mm_sub_epi16(_mm_unpacklo_epi8(bytes, none), low_zero));
    const __m128 high = _mm_castsi128_ps(_mm_sub_epi16(_mm_unpackhi_epi8(bytes, none), high_zero));
    const __m128i first = _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88));
    const __m128i second = _mm_castps_si128(_mm_shuffle_ps(low, high, 0xDD));
    auto* to = reinterpret_cast<__m128i*>(factors_.data() + k * kFactors);
    _mm_storeu_si128(to, first);
    _mm_storeu_si128(to + 1, second);
    all = _mm_add_epi32(all, _mm_madd_epi16(first, ones));
    all = _mm_add_epi32(all, _mm_madd_epi16(second, ones));
  }
  _mm_storeu_si128(reinterpret_cast<__m128i*>(all_.data()), all);
  return true;
}
#endif

void WordFactors::multiply(const int32_t* in, int32_t input_zero, const int32_t* first,
                           const std::byte* const* rows, size_t count, int32_t* sums) const {
  std::array<int32_t, kWordLanes> begin;
  for (size_t l = 0; l < kWordLanes; ++l) {
    begin[l] = first[l];
    const uint32_t taken = static_cast<uint32_t>(input_zero) * static_cast<uint32_t>(all_[l]);
    add(begin[l], static_cast<int32_t>(~taken + 1U));
  }
  static const kernels::DotWordsKernel kernel = kernels::dot_words_kernel(kernels::best_isa());
  const kernels::WordWalk walk{in, length_, factors_.data(), begin.data()};
  (kernel != nullptr ? kernel : multiply_plainly)(walk, rows, count, sums);
}

}  // namespace edgetwin::edgetpu::machine
