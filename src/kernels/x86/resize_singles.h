// Resizing between pixels in single precision where few results are near to a border between two:
// the results of the definition's own order of products and sums. Included once per instruction
// set, after kernels/core/resize_rows.h.
//
// Columns are summed first, once for each input row, as integers are. What it sums differs
// from the definition's number in the roundings alone. With U = 2^-24 and 255 as the largest pixel:
//   definition: two products of each of four terms, 510 U, three sums, 384 U, the half, 128 U
//   weights of an axis are one together but for U: 510 U
//   here: columns 256 U, their difference 128 U, its product 128 U, two sums, 512 U
// 2556 U together. At the edges of half_pixel_centers weights of the same pixel are up to 1.5 and
// -0.5: terms, sums and weights count twice there, what is here only once for the other axis:
// 3704 U. Only where a number is 4096 U = 8 / 2^15 or less from a border between two results, the
// definition's order decides; those elements are computed so.
#pragma once

#include "kernels/core/resize_rows.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

inline constexpr int kResizeFraction = 15;  // bits of fraction of floats from 256 to 512
inline constexpr int kResizeDoubt = 8;      // steps of these bits, to both sides of a border

// Of 32 elements from `first` on those whose results are in doubt, in row y: bit i of doubts[k] is
// lane i of vector k in the order of resize_load().
[[gnu::noinline, gnu::cold]] inline void resize_in_doubt(const ResizeSingles& r, std::ptrdiff_t y,
                                                         std::ptrdiff_t first, const int* doubts,
                                                         uint8_t* to) {
  const ResizeColumn<float> down = r.down[y];
  for (int k = 0; k < 4; ++k) {
    for (int lanes = doubts[k]; lanes != 0; lanes &= lanes - 1) {
      const int lane = __builtin_ctz(static_cast<unsigned>(lanes));
      const std::ptrdiff_t i = 4 * k + lane % 4 + lane / 4 * 16;
      if (first + i >= r.out_width * r.channels) continue;
      const ResizeColumn<float> c = r.columns[(first + i) / r.channels];
      const std::ptrdiff_t channel = (first + i) % r.channels;
      const auto pixel = [channel](const uint8_t* row, std::ptrdiff_t at) {
        return static_cast<float>(row[at + channel]);
      };
      const float sum = pixel(r.top, c.low) * down.low_weight * c.low_weight +
                        pixel(r.bottom, c.low) * down.high_weight * c.low_weight +
                        pixel(r.top, c.high) * down.low_weight * c.high_weight +
                        pixel(r.bottom, c.high) * down.high_weight * c.high_weight + 0.5F;
      const int whole = static_cast<int>(sum);
      to[i] = static_cast<uint8_t>(whole < 0 ? 0 : whole > 255 ? 255 : whole);
    }
  }
}

[[gnu::always_inline]] inline __m256 resize_between(__m256 low, __m256 way, __m256 weight) {
  return _mm256_add_ps(low, _mm256_mul_ps(way, weight));
}

// What the two pixels of each element weigh together, eight elements of any pixels at a time.
inline void resize_single_windows(const ResizeSingles& r, const uint8_t* from, float* to) {
  constexpr std::ptrdiff_t kElements = 8;
  const std::ptrdiff_t count = r.out_width * r.channels;
  const ResizeWindow* w = r.windows;
  for (std::ptrdiff_t i = 0; i < count; i += kElements, ++w) {
    const __m128i pairs = resize_pairs(from, *w);
    const __m128i low = _mm_and_si128(pairs, _mm_set1_epi16(0xFF));
    const __m128i way = _mm_sub_epi16(_mm_srli_epi16(pairs, 8), low);
    _mm256_storeu_ps(to + i, resize_between(_mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(low)),
                                            _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(way)),
                                            _mm256_loadu_ps(r.high_weights + i)));
  }
}

// The same pixel by pixel: what is written after its end, the next one replaces.
inline void resize_single_columns(const ResizeSingles& r, const uint8_t* from, float* to) {
  constexpr std::ptrdiff_t kElements = 8;
  float* __restrict wide = r.wide;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < r.in_elements; ++i) wide[i] = static_cast<float>(from[i]);
  for (std::ptrdiff_t x = 0; x < r.out_width; ++x, to += r.channels) {
    const ResizeColumn<float> c = r.columns[x];
    const __m256 weight = _mm256_set1_ps(c.high_weight);
    for (std::ptrdiff_t i = 0; i < r.channels; i += kElements) {
      const __m256 low = _mm256_loadu_ps(wide + c.low + i);
      const __m256 way = _mm256_sub_ps(_mm256_loadu_ps(wide + c.high + i), low);
      _mm256_storeu_ps(to + i, resize_between(low, way, weight));
    }
  }
}

inline const float* resize_single_sums(const ResizeSingles& r, const uint8_t* from,
                                       const uint8_t* other) {
  float* second = r.sums + r.out_width * r.channels + kResizeBlock;
  if (r.held[0] == from) return r.sums;
  if (r.held[1] == from) return second;
  const int place = r.held[0] == other ? 1 : 0;
  float* sums = place == 0 ? r.sums : second;
  r.windows != nullptr ? resize_single_windows(r, from, sums)
                       : resize_single_columns(r, from, sums);
  r.held[place] = from;
  return sums;
}

// Four vectors of floats from 256 to 512: bytes of what is before the fraction, less 256.
[[gnu::always_inline]] inline __m256i resize_whole(const __m256i* v) {
  const __m256i byte = _mm256_set1_epi16(0xFF);
  const auto words = [byte](__m256i a, __m256i b) __attribute__((always_inline)) {
    return _mm256_and_si256(_mm256_packus_epi32(_mm256_srli_epi32(a, kResizeFraction),
                                                _mm256_srli_epi32(b, kResizeFraction)),
                            byte);
  };
  return _mm256_packus_epi16(words(v[0], v[1]), words(v[2], v[3]));
}

// Of rows [begin, end) the elements from `first` on, `to` being those of the first of these rows.
[[gnu::always_inline]] inline void resize_single_block(const ResizeSingles& r,
                                                       const float* const* sums,
                                                       std::ptrdiff_t begin, std::ptrdiff_t end,
                                                       std::ptrdiff_t first, uint8_t* to,
                                                       std::ptrdiff_t row) {
  constexpr float kHalf = 0.5F + static_cast<float>(kResizeDoubt) / (1 << kResizeFraction);
  // Of the fraction what is not zero where there is no doubt.
  const __m256i clear = _mm256_set1_epi32((1 << kResizeFraction) - 2 * kResizeDoubt);
  __m256 base[4], way[4];
  for (int k = 0; k < 4; ++k) {
    const auto load = [&](const float* from) __attribute__((always_inline)) {
      return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + first + 4 * k)),
                                  _mm_loadu_ps(from + first + 4 * k + 16), 1);
    };
    const __m256 top = load(sums[0]);
    way[k] = _mm256_sub_ps(load(sums[1]), top);
    base[k] = _mm256_add_ps(top, _mm256_set1_ps(256 + kHalf));
  }
  for (std::ptrdiff_t y = begin; y < end; ++y, to += row) {
    const __m256 weight = _mm256_set1_ps(r.down[y].high_weight);
    __m256i v[4], low[4];
    for (int k = 0; k < 4; ++k) {
      v[k] = _mm256_castps_si256(resize_between(base[k], way[k], weight));
      low[k] = _mm256_and_si256(v[k], clear);
    }
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), resize_whole(v));
    const __m256i least =
        _mm256_min_epu32(_mm256_min_epu32(low[0], low[1]), _mm256_min_epu32(low[2], low[3]));
    const auto doubts = [](__m256i fraction) __attribute__((always_inline)) {
      return _mm256_movemask_ps(
          _mm256_castsi256_ps(_mm256_cmpeq_epi32(fraction, _mm256_setzero_si256())));
    };
    if (doubts(least) != 0) [[unlikely]] {
      const int all[4] = {doubts(low[0]), doubts(low[1]), doubts(low[2]), doubts(low[3])};
      resize_in_doubt(r, y, first, all, to);
    }
  }
}

inline void resize_clear_unsigned_bytes(const ResizeSingles& r) {
  constexpr std::ptrdiff_t kElements = 32, kPage = 4096, kHeld = 8;
  const float* const sums[] = {resize_single_sums(r, r.top, r.bottom),
                               resize_single_sums(r, r.bottom, r.top)};
  const std::ptrdiff_t count = r.out_width * r.channels;
  // Rows a page and more apart: as resize_rows().
  const std::ptrdiff_t rows = count >= kPage ? kHeld : r.rows;
  for (std::ptrdiff_t y = 0; y < r.rows; y += rows) {
    const std::ptrdiff_t end = r.rows - y < rows ? r.rows : y + rows;
    for (std::ptrdiff_t i = 0; i < count && count >= kElements; i += kElements) {
      if (i + kElements > count) i = count - kElements;
      resize_single_block(r, sums, y, end, i, r.out + y * count + i, count);
    }
    for (std::ptrdiff_t one = y; count < kElements && one < end; ++one) {
      uint8_t few[kElements];
      resize_single_block(r, sums, one, one + 1, 0, few, 0);
      for (std::ptrdiff_t i = 0; i < count; ++i) r.out[one * count + i] = few[i];
    }
  }
}

constexpr ResizeTable with_clear(ResizeTable table) {
  table.clear_unsigned_bytes = resize_clear_unsigned_bytes;
  return table;
}
inline constexpr ResizeTable kWholeResizeTable = with_clear(kResizeTable);

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
