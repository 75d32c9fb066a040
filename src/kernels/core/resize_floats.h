// Resizing between pixels in single precision, in the definition's own order of products and sums.
// Included once per instruction set, after resize_loops.h.
#pragma once

#include "kernels/core/resize_loops.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// What the two rows weigh, each for itself.
struct ResizeWeighed {
  const float *top, *bottom;
};
inline void resize_weigh(const uint8_t* from, std::ptrdiff_t count, float weight, float* to_) {
  float* __restrict to = to_;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]) * weight;
}

#if defined(__AVX2__)

// Of the lower and the higher pixel.
struct ResizeFour {
  __m256 top_low, bottom_low, top_high, bottom_high;
};
// Whole numbers from 0 to 255, or little beyond.
[[gnu::always_inline]] inline __m256i resize_sum(const ResizeFour& v, __m256 low, __m256 high) {
  const __m256 left =
      _mm256_add_ps(_mm256_mul_ps(v.top_low, low), _mm256_mul_ps(v.bottom_low, low));
  const __m256 sum = _mm256_add_ps(_mm256_add_ps(left, _mm256_mul_ps(v.top_high, high)),
                                   _mm256_mul_ps(v.bottom_high, high));
  return _mm256_cvttps_epi32(_mm256_add_ps(sum, _mm256_set1_ps(0.5F)));
}

// Eight numbers each; their bytes in order.
[[gnu::always_inline]] inline __m256i resize_bytes_of(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i bytes = _mm256_packus_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
  return _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
[[gnu::always_inline]] inline void resize_store_few(__m256i bytes, std::ptrdiff_t count,
                                                    uint8_t* to) {
  uint8_t few[32];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(few), bytes);
  for (std::ptrdiff_t i = 0; i < count; ++i) to[i] = few[i];
}

// The two pixels of eight elements: words of the lower one and, above it, the higher one.
[[gnu::always_inline]] inline __m128i resize_pairs(const uint8_t* from, const ResizeWindow& w) {
  return _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + w.at)),
                          _mm_loadu_si128(reinterpret_cast<const __m128i*>(w.places)));
}

// The elements of the lower and of the higher pixels, `size` of each.
inline void resize_spread(const ResizeFloats& r, const uint8_t* from, float* low, float* high) {
  constexpr std::ptrdiff_t kElements = 8;
  const std::ptrdiff_t count = r.out_width * r.channels;
  const ResizeWindow* w = r.windows;
  for (std::ptrdiff_t i = 0; i < count; i += kElements, ++w) {
    const __m128i pairs = resize_pairs(from, *w);
    const auto store = [i](__m128i words, float* to) __attribute__((always_inline)) {
      _mm256_storeu_ps(to + i, _mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(words)));
    };
    store(_mm_and_si128(pairs, _mm_set1_epi16(0xFF)), low);
    store(_mm_srli_epi16(pairs, 8), high);
  }
}

// Few channels: thirty-two elements of any pixels at a time.
inline void resize_float_elements(const ResizeFloats& r) {
  constexpr std::ptrdiff_t kElements = 32, kVector = 8;
  const std::ptrdiff_t count = r.out_width * r.channels;
  const std::ptrdiff_t size = (count + kElements - 1) / kElements * kElements;
  const auto row = [&](const uint8_t* from, const uint8_t* other) {
    int place = r.held[1] == from ? 1 : 0;
    if (r.held[place] != from) {
      place = r.held[0] == other ? 1 : 0;
      float* to = r.pixels + 2 * place * size;
      resize_spread(r, from, to, to + size);
      r.held[place] = from;
    }
    return r.pixels + 2 * place * size;
  };
  const float* top = row(r.top, r.bottom);
  const float* bottom = row(r.bottom, r.top);
  const __m256 above = _mm256_set1_ps(r.top_weight), below = _mm256_set1_ps(r.bottom_weight);
  const auto sum = [&](std::ptrdiff_t i) __attribute__((always_inline)) {
    return resize_sum({_mm256_mul_ps(_mm256_loadu_ps(top + i), above),
                       _mm256_mul_ps(_mm256_loadu_ps(bottom + i), below),
                       _mm256_mul_ps(_mm256_loadu_ps(top + size + i), above),
                       _mm256_mul_ps(_mm256_loadu_ps(bottom + size + i), below)},
                      _mm256_loadu_ps(r.low_weights + i), _mm256_loadu_ps(r.high_weights + i));
  };
  for (std::ptrdiff_t i = 0; i < count; i += kElements) {
    const __m256i bytes =
        resize_bytes_of(sum(i), sum(i + kVector), sum(i + 2 * kVector), sum(i + 3 * kVector));
    if (i + kElements <= count) {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(r.out + i), bytes);
    } else {
      resize_store_few(bytes, count - i, r.out + i);
    }
  }
}

// Rows of pixels that begin at multiples of eight numbers.
inline void resize_weigh_pixels(const ResizeFloats& r, const uint8_t* from, float weight,
                                float* to) {
  constexpr std::ptrdiff_t kVector = 8;
  const __m256 factor = _mm256_set1_ps(weight);
  const uint8_t* const end = from + r.in_elements;
  for (; from + r.stride <= end; from += r.channels, to += r.stride) {
    for (std::ptrdiff_t i = 0; i < r.channels; i += kVector) {
      const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from + i));
      _mm256_store_ps(to + i,
                      _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes)), factor));
    }
  }
  for (; from < end; from += r.channels, to += r.stride) {
    resize_weigh(from, r.channels, weight, to);
  }
}

// `Vectors` times eight channels of a pixel, from `at` on.
template <int Vectors>
[[gnu::always_inline]] inline __m256i resize_pixel(const ResizeWeighed& rows,
                                                   const ResizeColumn<float>& c,
                                                   std::ptrdiff_t at) {
  const __m256 low = _mm256_set1_ps(c.low_weight), high = _mm256_set1_ps(c.high_weight);
  __m256i sums[4];
  for (int k = 0; k < Vectors; ++k) {
    const float *top = rows.top + at + 8 * k, *bottom = rows.bottom + at + 8 * k;
    sums[k] = resize_sum({_mm256_load_ps(top + c.low), _mm256_load_ps(bottom + c.low),
                          _mm256_load_ps(top + c.high), _mm256_load_ps(bottom + c.high)},
                         low, high);
  }
  for (int k = Vectors; k < 4; ++k) sums[k] = sums[Vectors - 1];
  return resize_bytes_of(sums[0], sums[1], sums[2], sums[3]);
}

// Its first 8 * Vectors bytes.
template <int Vectors>
[[gnu::always_inline]] inline void resize_store_pixel(__m256i bytes, uint8_t* to) {
  const __m128i first = _mm256_castsi256_si128(bytes);
  if constexpr (Vectors == 4) _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
  if constexpr (Vectors == 1) _mm_storel_epi64(reinterpret_cast<__m128i*>(to), first);
  if constexpr (Vectors == 2 || Vectors == 3) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), first);
  }
  if constexpr (Vectors == 3) {
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + 16), _mm256_extracti128_si256(bytes, 1));
  }
}

// Thirty-two channels at a time, and Tail times eight at the end.
template <int Tail>
inline void resize_float_pixels(const ResizeFloats& r, const ResizeWeighed& rows) {
  constexpr std::ptrdiff_t kBlock = 32;
  const std::ptrdiff_t channels = r.channels, width = r.out_width;
  const std::ptrdiff_t tail = channels / kBlock * kBlock, rest = channels - tail;
  uint8_t* to = r.out;
  const uint8_t* const end = to + width * channels;
  for (std::ptrdiff_t x = 0; x < width; ++x, to += channels) {
    const ResizeColumn<float> c = r.columns[x];
    for (std::ptrdiff_t i = 0; i < tail; i += kBlock) {
      resize_store_pixel<4>(resize_pixel<4>(rows, c, i), to + i);
    }
    if constexpr (Tail > 0) {
      const __m256i bytes = resize_pixel<Tail>(rows, c, tail);
      // What is too much, the next pixels replace, where there are any.
      if (to + tail + 8 * Tail <= end) {
        resize_store_pixel<Tail>(bytes, to + tail);
      } else {
        resize_store_few(bytes, rest, to + tail);
      }
    }
  }
}

inline void resize_unsigned_bytes(const ResizeFloats& r) {
  if (r.windows != nullptr) return resize_float_elements(r);
  float* bottom = r.sums + r.in_elements / r.channels * r.stride + kResizeBlock;
  resize_weigh_pixels(r, r.top, r.top_weight, r.sums);
  resize_weigh_pixels(r, r.bottom, r.bottom_weight, bottom);
  const ResizeWeighed rows{r.sums, bottom};
  switch ((r.channels % 32 + 7) / 8) {
    case 0:
      return resize_float_pixels<0>(r, rows);
    case 1:
      return resize_float_pixels<1>(r, rows);
    case 2:
      return resize_float_pixels<2>(r, rows);
    case 3:
      return resize_float_pixels<3>(r, rows);
    default:
      return resize_float_pixels<4>(r, rows);
  }
}

#else

inline void resize_unsigned_bytes(const ResizeFloats& r) {
  using Floats = typename ResizeSums<float>::Type;
  float* bottom = r.sums + r.in_elements / r.channels * r.stride + kResizeBlock;
  for (std::ptrdiff_t x = 0; x < r.in_elements / r.channels; ++x) {
    resize_weigh(r.top + x * r.channels, r.channels, r.top_weight, r.sums + x * r.stride);
    resize_weigh(r.bottom + x * r.channels, r.channels, r.bottom_weight, bottom + x * r.stride);
  }
  const ResizeWeighed rows{r.sums, bottom};
  float* to = r.wide;
  const std::ptrdiff_t channels = r.channels, width = r.out_width;
  for (std::ptrdiff_t x = 0; x < width; ++x, to += channels) {
    const ResizeColumn<float> c = r.columns[x];
    for (std::ptrdiff_t i = 0; i < channels; i += ResizeSums<float>::kCount) {
      const Floats top_low = *reinterpret_cast<const Floats*>(rows.top + c.low + i);
      const Floats bottom_low = *reinterpret_cast<const Floats*>(rows.bottom + c.low + i);
      const Floats top_high = *reinterpret_cast<const Floats*>(rows.top + c.high + i);
      const Floats bottom_high = *reinterpret_cast<const Floats*>(rows.bottom + c.high + i);
      *reinterpret_cast<Floats*>(to + i) = top_low * c.low_weight + bottom_low * c.low_weight +
                                           top_high * c.high_weight + bottom_high * c.high_weight +
                                           0.5F;
    }
  }
  uint8_t* __restrict out = r.out;
  const float* from = r.wide;
  EDGETWIN_NO_DEPENDENCE
  for (std::ptrdiff_t i = 0; i < width * channels; ++i) {
    const float least = from[i] > 0.0F ? from[i] : 0.0F;
    out[i] = static_cast<uint8_t>(static_cast<int32_t>(least < 255.0F ? least : 255.0F));
  }
}

#endif

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
