// Resizing between pixels as loops over channels, for the compiler to make vectors of. Included
// once per instruction set.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "kernels/core/no_dependence.h"
#include "kernels/core/resize_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

inline void resize_copies(const CopyWindow* w, const uint8_t* from, std::ptrdiff_t bytes,
                          uint8_t* to) {
  constexpr std::ptrdiff_t kElements = 16;
  for (std::ptrdiff_t i = 0; i < bytes; i += kElements, ++w) {
    if (i + kElements > bytes) i = bytes - kElements;
#if defined(__AVX2__)
    const __m128i window = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + w->at));
    const __m128i places = _mm_loadu_si128(reinterpret_cast<const __m128i*>(w->places));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm_shuffle_epi8(window, places));
#else
    for (std::ptrdiff_t k = 0; k < kElements; ++k) to[i + k] = from[w->at + w->places[k]];
#endif
  }
}

template <class Sum>
struct ResizeSums {
  static constexpr std::ptrdiff_t kCount = 32 / sizeof(Sum);
  typedef Sum Type __attribute__((vector_size(32), aligned(sizeof(Sum)), may_alias));
};

#if defined(__AVX2__)

// What pairs of bytes weigh together, as words; the weights of both are from 0 to 2^7.
template <class T>
[[gnu::always_inline]] inline __m128i resize_words(__m128i pairs, __m128i weights) {
  return T(-1) < T(0) ? _mm_maddubs_epi16(weights, pairs) : _mm_maddubs_epi16(pairs, weights);
}
template <class T>
[[gnu::always_inline]] inline __m256i resize_words(__m256i pairs, __m256i weights) {
  return T(-1) < T(0) ? _mm256_maddubs_epi16(weights, pairs) : _mm256_maddubs_epi16(pairs, weights);
}

// As resize_columns(), eight elements of any pixels at a time.
template <class T, class Sum>
void resize_windows(const ResizeRows<T, Sum>& r, const T* from, Sum* to) {
  constexpr std::ptrdiff_t kElements = 8;
  const std::ptrdiff_t elements = r.out_width * r.channels;
  const ResizeWindow* w = r.windows;
  for (std::ptrdiff_t i = 0; i < elements; i += kElements, ++w) {
    const auto* places = reinterpret_cast<const __m128i*>(w->places);
    const __m128i pairs = _mm_shuffle_epi8(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + w->at)), _mm_loadu_si128(places));
    if constexpr (sizeof(Sum) == sizeof(int32_t)) {
      const auto* weights = reinterpret_cast<const __m256i*>(w->weights);
      const __m256i words =
          T(-1) < T(0) ? _mm256_cvtepi8_epi16(pairs) : _mm256_cvtepu8_epi16(pairs);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i),
                          _mm256_madd_epi16(words, _mm256_loadu_si256(weights)));
    } else {
      const auto* weights = reinterpret_cast<const __m128i*>(w->byte_weights);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i),
                       resize_words<T>(pairs, _mm_loadu_si128(weights)));
    }
  }
}
#endif

#if defined(__AVX2__)
// Of each element of a row itself and the same of the next pixel, in turns, as products of pairs
// take them: bytes for sums of words, words for sums of 32 bits. What follows the last pixel has no
// weight.
template <class T>
void resize_pairs(const ResizeRows<T, int16_t>& r, const T* from) {
  constexpr std::ptrdiff_t kElements = 16;
  const std::ptrdiff_t end = r.in_elements - r.channels;
  std::ptrdiff_t i = 0;
  for (; i + kElements <= end; i += kElements) {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i + r.channels));
    auto* to = reinterpret_cast<__m128i*>(r.wide + i);
    _mm_storeu_si128(to, _mm_unpacklo_epi8(low, high));
    _mm_storeu_si128(to + 1, _mm_unpackhi_epi8(low, high));
  }
  for (; i < r.in_elements; ++i) {
    const auto high = i < end ? static_cast<uint8_t>(from[i + r.channels]) : uint8_t{};
    r.wide[i] = static_cast<int16_t>(static_cast<uint8_t>(from[i]) | (high << 8));
  }
}
template <class T>
void resize_pairs(const ResizeRows<T, int32_t>& r, const T* from) {
  constexpr std::ptrdiff_t kElements = 8;
  const std::ptrdiff_t end = r.in_elements - r.channels;
  std::ptrdiff_t i = 0;
  const auto words = [](const T* bytes) {
    const __m128i few = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
    return T(-1) < T(0) ? _mm256_cvtepi8_epi32(few) : _mm256_cvtepu8_epi32(few);
  };
  for (; i + kElements <= end; i += kElements) {
    const __m256i high = _mm256_slli_epi32(words(from + i + r.channels), 16);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(r.wide + i),
                        _mm256_blend_epi16(words(from + i), high, 0xAA));
  }
  for (; i < r.in_elements; ++i) {
    const int32_t high = i < end ? from[i + r.channels] : 0;
    r.wide[i] = static_cast<int32_t>((static_cast<uint32_t>(high) << 16) |
                                     (static_cast<uint32_t>(from[i]) & 0xFFFFU));
  }
}

// Sixteen or eight sums: the weights are a pair for each of them.
template <class T>
[[gnu::always_inline]] inline __m256i resize_products(__m256i pairs,
                                                      const ResizeColumn<int16_t>& c) {
  const int weights = c.low_weight | (c.high_weight << 8);
  return resize_words<T>(pairs, _mm256_set1_epi16(static_cast<int16_t>(weights)));
}
template <class T>
[[gnu::always_inline]] inline __m256i resize_products(__m256i pairs,
                                                      const ResizeColumn<int32_t>& c) {
  return _mm256_madd_epi16(pairs, _mm256_set1_epi32(c.low_weight | (c.high_weight << 16)));
}

// Between columns: what the two pixels of each output column weigh together.
template <class T, class Sum>
void resize_columns(const ResizeRows<T, Sum>& r, const T* from, Sum* to) {
  if (r.windows != nullptr) return resize_windows(r, from, to);
  resize_pairs(r, from);
  const Sum* pairs = r.wide;
  const std::ptrdiff_t channels = r.channels, width = r.out_width;
  const ResizeColumn<Sum>* columns = r.columns;
  for (std::ptrdiff_t x = 0; x < width; ++x, to += channels) {
    const ResizeColumn<Sum> c = columns[x];
    for (std::ptrdiff_t i = 0; i < channels; i += ResizeSums<Sum>::kCount) {
      const __m256i two = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(pairs + c.low + i));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), resize_products<T>(two, c));
    }
  }
}
#else
// Between columns: what the two pixels of each output column weigh together.
template <class T, class Sum>
void resize_columns(const ResizeRows<T, Sum>& r, const T* from, Sum* to) {
  using Sums = typename ResizeSums<Sum>::Type;
  Sum* __restrict wide = r.wide;
  const std::ptrdiff_t elements = r.in_elements, channels = r.channels, width = r.out_width;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < elements; ++i) wide[i] = from[i];
  for (std::ptrdiff_t x = 0; x < width; ++x, to += channels) {
    const ResizeColumn<Sum> c = r.columns[x];
    for (std::ptrdiff_t i = 0; i < channels; i += ResizeSums<Sum>::kCount) {
      *reinterpret_cast<Sums*>(to + i) =
          *reinterpret_cast<const Sums*>(wide + c.low + i) * c.low_weight +
          *reinterpret_cast<const Sums*>(wide + c.high + i) * c.high_weight;
    }
  }
}
#endif

// The sums of input row `from`, computed where they are not held; those of `other` stay.
template <class T, class Sum>
const Sum* resize_sums(const ResizeRows<T, Sum>& r, const T* from, const T* other) {
  Sum* second = r.sums + r.out_width * r.channels + kResizeBlock;
  if (r.held[0] == from) return r.sums;
  if (r.held[1] == from) return second;
  const int place = r.held[0] == other ? 1 : 0;
  Sum* sums = place == 0 ? r.sums : second;
  resize_columns(r, from, sums);
  r.held[place] = from;
  return sums;
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
