// Resizing between pixels as loops over channels, for the compiler to make vectors of. Included
// once per instruction set.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "kernels/core/no_dependence.h"
#include "kernels/core/resize_table.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

template <class Sum>
struct ResizeSums {
  static constexpr std::ptrdiff_t kCount = 32 / sizeof(Sum);
  typedef Sum Type __attribute__((vector_size(32), aligned(sizeof(Sum)), may_alias));
};

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

// Bytes of results from 0 to 255, or little beyond. There are thirty-two floats to read at least.
#if defined(__AVX2__)
inline void resize_bytes_of_floats(const float* from, std::ptrdiff_t count, uint8_t* to) {
  constexpr std::ptrdiff_t kElements = 32;
  const auto words = [from](std::ptrdiff_t i) __attribute__((always_inline)) {
    return _mm256_cvttps_epi32(_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from + i)),
                                                    _mm_loadu_ps(from + i + 16), 1));
  };
  for (std::ptrdiff_t i = 0; i < count; i += kElements) {
    if (i + kElements > count && count > kElements) i = count - kElements;
    const __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(words(i), words(i + 4)),
                                              _mm256_packs_epi32(words(i + 8), words(i + 12)));
    if (count >= kElements) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), bytes);
    } else {
      uint8_t few[kElements];
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(few), bytes);
      for (std::ptrdiff_t k = 0; k < count; ++k) to[k] = few[k];
    }
  }
}
#else
inline void resize_bytes_of_floats(const float* from, std::ptrdiff_t count, uint8_t* to) {
  uint8_t* __restrict out = to;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const float least = from[i] > 0.0F ? from[i] : 0.0F;
    out[i] = static_cast<uint8_t>(static_cast<int32_t>(least < 255.0F ? least : 255.0F));
  }
}
#endif

// Single precision in the definition's own order of products and sums.
inline void resize_unsigned_bytes(const ResizeFloats& r) {
  using Floats = typename ResizeSums<float>::Type;
  float* __restrict top = r.sums;
  float* __restrict bottom = r.sums + r.in_elements;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < r.in_elements; ++i) {
    top[i] = static_cast<float>(r.top[i]) * r.top_weight;
    bottom[i] = static_cast<float>(r.bottom[i]) * r.bottom_weight;
  }
  float* const results = r.wide;
  float* to = results;
  const std::ptrdiff_t channels = r.channels, width = r.out_width;
  for (std::ptrdiff_t x = 0; x < width; ++x, to += channels) {
    const ResizeColumn<float> c = r.columns[x];
    for (std::ptrdiff_t i = 0; i < channels; i += ResizeSums<float>::kCount) {
      const Floats top_low = *reinterpret_cast<const Floats*>(top + c.low + i);
      const Floats bottom_low = *reinterpret_cast<const Floats*>(bottom + c.low + i);
      const Floats top_high = *reinterpret_cast<const Floats*>(top + c.high + i);
      const Floats bottom_high = *reinterpret_cast<const Floats*>(bottom + c.high + i);
      *reinterpret_cast<Floats*>(to + i) = top_low * c.low_weight + bottom_low * c.low_weight +
                                           top_high * c.high_weight + bottom_high * c.high_weight +
                                           0.5F;
    }
  }
  resize_bytes_of_floats(results, width * channels, r.out);
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
