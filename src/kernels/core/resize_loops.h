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
// As resize_columns(), eight elements of any pixels at a time.
template <class T, class Sum>
void resize_windows(const ResizeRows<T, Sum>& r, const T* from, Sum* to) {
  constexpr std::ptrdiff_t kElements = 8;
  const std::ptrdiff_t elements = r.out_width * r.channels;
  const ResizeWindow* w = r.windows;
  for (std::ptrdiff_t i = 0; i < elements; i += kElements, ++w) {
    const auto* places = reinterpret_cast<const __m128i*>(w->places);
    const auto* weights = reinterpret_cast<const __m256i*>(w->weights);
    const __m128i pairs = _mm_shuffle_epi8(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + w->at)), _mm_loadu_si128(places));
    const __m256i words = T(-1) < T(0) ? _mm256_cvtepi8_epi16(pairs) : _mm256_cvtepu8_epi16(pairs);
    const __m256i sums = _mm256_madd_epi16(words, _mm256_loadu_si256(weights));
    if constexpr (sizeof(Sum) == sizeof(int32_t)) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), sums);
    } else {
      const __m128i few =
          _mm_packs_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), few);
    }
  }
}
#endif

// Between columns: what the two pixels of each output column weigh together.
template <class T, class Sum>
void resize_columns(const ResizeRows<T, Sum>& r, const T* from, Sum* to) {
#if defined(__AVX2__)
  if (r.windows != nullptr) return resize_windows(r, from, to);
#endif
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
