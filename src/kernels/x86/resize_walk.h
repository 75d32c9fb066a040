// Resizing between pixels of many channels: each output row by itself, from the left to the right,
// thirty-two channels at a time. What the two input rows weigh together is computed once for each
// input pixel and stays in registers for all output pixels beside it: no sums go through memory,
// and output rows are written one after the other. Included once per instruction set, after
// kernels/core/resize_rows.h; AVX-512 keeps its sums of rows.
#pragma once

#include "kernels/core/resize_rows.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// What the two rows weigh together, of thirty-two channels, in the order that narrowing wants.
// Sums of 32 bits are of unsigned numbers: those of signed ones are 128 times one of rows more.
template <class T, class Sum>
[[gnu::always_inline]] inline ResizeVectors<T, Sum> resize_pixel(const T* top_, const T* bottom_,
                                                                 __m256i weights) {
  using Naturals = typename ResizeVectors<T, Sum>::Naturals;
  __m256i top = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(top_));
  __m256i bottom = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bottom_));
  ResizeVectors<T, Sum> v;
  if constexpr (sizeof(Sum) == sizeof(int16_t)) {
    v.at[0] =
        reinterpret_cast<Naturals>(resize_words<T>(_mm256_unpacklo_epi8(top, bottom), weights));
    v.at[1] =
        reinterpret_cast<Naturals>(resize_words<T>(_mm256_unpackhi_epi8(top, bottom), weights));
  } else {
    if constexpr (T(-1) < T(0)) {
      top = _mm256_xor_si256(top, _mm256_set1_epi8(-128));
      bottom = _mm256_xor_si256(bottom, _mm256_set1_epi8(-128));
    }
    const __m256i none = _mm256_setzero_si256();
    const __m256i pairs[] = {_mm256_unpacklo_epi8(top, bottom), _mm256_unpackhi_epi8(top, bottom)};
    for (int i = 0; i < 4; ++i) {
      const __m256i words = i % 2 == 0 ? _mm256_unpacklo_epi8(pairs[i / 2], none)
                                       : _mm256_unpackhi_epi8(pairs[i / 2], none);
      v.at[i] = reinterpret_cast<Naturals>(_mm256_madd_epi16(words, weights));
    }
  }
  return v;
}

// The output pixels between two input pixels: thirty-two results for a weight of the second one.
template <class T, class Sum, class Rounding>
struct ResizeBetween {
  using Vectors = ResizeVectors<T, Sum>;
  using Natural = typename Vectors::Natural;
  static constexpr bool kMoved = sizeof(Sum) == sizeof(int32_t) && T(-1) < T(0);
  Vectors base, slope;

  [[gnu::always_inline]] ResizeBetween(const ResizeRows<T, Sum>& r, const Vectors& low,
                                       const Vectors& high, const Rounding& rounding) {
    const auto bits = static_cast<Natural>(r.shift - r.one_bits);
    const auto addend = static_cast<Natural>(static_cast<Natural>(rounding.addend) -
                                             (kMoved ? 128U << r.shift : 0U));
    for (int i = 0; i < Vectors::kCount; ++i) {
      slope.at[i] = high.at[i] - low.at[i];
      base.at[i] = (low.at[i] << bits) + addend;
    }
  }
  [[gnu::always_inline]] void store(Sum weight, const Rounding& rounding, T* to) const {
    resize_weighted(base, slope, weight, rounding, to);
  }
};

// Ties to even: floats, as in resize_block().
template <class T>
struct ResizeBetween<T, int32_t, ResizeEven<int32_t>> {
  using Vectors = ResizeVectors<T, int32_t>;
  __m256 base[4], slope[4];

  [[gnu::always_inline]] ResizeBetween(const ResizeRows<T, int32_t>& r, const Vectors& low,
                                       const Vectors& high, const ResizeEven<int32_t>& rounding) {
    const __m256 scale = _mm256_set1_ps(rounding.scale);
    const __m256 one =
        _mm256_set1_ps(rounding.scale * static_cast<float>(1 << (r.shift - r.one_bits)));
    const __m256 moved = _mm256_set1_ps(T(-1) < T(0) ? 128.0F : 0.0F);
    for (int i = 0; i < 4; ++i) {
      const __m256 from = _mm256_cvtepi32_ps(reinterpret_cast<__m256i>(low.at[i]));
      const __m256 way = _mm256_cvtepi32_ps(reinterpret_cast<__m256i>(high.at[i] - low.at[i]));
      base[i] = _mm256_sub_ps(_mm256_mul_ps(from, one), moved);
      slope[i] = _mm256_mul_ps(way, scale);
    }
  }
  [[gnu::always_inline]] void store(int32_t weight, const ResizeEven<int32_t>&, T* to) const {
    resize_weighted(base, slope, weight, to);
  }
};

// Thirty-two channels from `channel` on of the output pixels of columns [c, end), whose input rows
// weigh `weights`; `to` is the first of these results.
template <class T, class Sum, class Rounding>
[[gnu::always_inline]] inline void resize_walk_part(const ResizeRows<T, Sum>& r,
                                                    const ResizeColumn<Sum>* c,
                                                    const ResizeColumn<Sum>* end,
                                                    std::ptrdiff_t channel, __m256i weights, T* to,
                                                    const Rounding& rounding) {
  const T* top = r.top + channel;
  const T* bottom = r.bottom + channel;
  const std::ptrdiff_t channels = r.channels;
  ResizeVectors<T, Sum> high;
  std::ptrdiff_t held = -1;
  while (c != end) {
    const std::ptrdiff_t low_at = c->low, high_at = c->high;
    const ResizeVectors<T, Sum> low =
        low_at == held ? high : resize_pixel<T, Sum>(top + low_at, bottom + low_at, weights);
    high = high_at == low_at ? low : resize_pixel<T, Sum>(top + high_at, bottom + high_at, weights);
    held = high_at;
    const ResizeBetween<T, Sum, Rounding> between(r, low, high, rounding);
    do {
      between.store(c->high_weight, rounding, to);
      to += channels;
      ++c;
    } while (c != end && c->low == low_at && c->high == high_at);
  }
}

// Where the picture grows little, and blocks of thirty-two channels, of which the last one may
// repeat some, compute few twice. Otherwise, and for rows that leave the nearest cache, sums that
// rows share are worth their way through memory.
template <class T, class Sum>
bool resize_walks(const ResizeRows<T, Sum>& r) {
  constexpr std::ptrdiff_t kBlock = 32, kCache = 32768;
  const std::ptrdiff_t row = r.out_width * r.channels, growth = row > kCache ? 2 : 4;
  if (r.channels < kBlock || row > growth * r.in_elements) return false;
  const std::ptrdiff_t computed = (r.channels + kBlock - 1) / kBlock * kBlock;
  const bool in_pairs = sizeof(Sum) == sizeof(int32_t) || T(-1) < T(0) || r.one_bits < 7;
  return in_pairs && 8 * r.channels >= 7 * computed;
}

template <class T, class Sum, class Rounding>
void resize_walk(const ResizeRows<T, Sum>& rows, const Rounding& how) {
  const ResizeRows<T, Sum> r = rows;  // bytes that are written could be those of the caller's
  const Rounding rounding = how;
  constexpr std::ptrdiff_t kBlock = 32;
  for (std::ptrdiff_t y = 0; y < r.rows; ++y) {
    const int bottom = r.weights[y], top = (1 << r.one_bits) - bottom;
    const __m256i weights = sizeof(Sum) == sizeof(int16_t)
                                ? _mm256_set1_epi16(static_cast<int16_t>(top | bottom << 8))
                                : _mm256_set1_epi32(top | bottom << 16);
    // All channels of few pixels, so that the nearest cache has them until they are whole lines.
    constexpr std::ptrdiff_t kBytes = 4096;
    const std::ptrdiff_t pixels = kBytes > r.channels ? kBytes / r.channels : 1;
    for (std::ptrdiff_t x = 0; x < r.out_width; x += pixels) {
      const std::ptrdiff_t end = x + pixels < r.out_width ? x + pixels : r.out_width;
      T* const to = r.out + (y * r.out_width + x) * r.channels;
      for (std::ptrdiff_t i = 0; i < r.channels; i += kBlock) {
        if (i + kBlock > r.channels) i = r.channels - kBlock;
        resize_walk_part(r, r.columns + x, r.columns + end, i, weights, to + i, rounding);
      }
    }
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
