// Output rows between two rows of input pixels: thirty-two sums of all rows, then the next ones, so
// that what the two rows weigh is read once. Included once per instruction set, after
// resize_loops.h.
#pragma once

#include "kernels/core/resize_floats.h"
#include "kernels/core/resize_loops.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Lanes of sums: words of unsigned bytes may have their highest bit set.
template <class T, class Sum>
struct ResizeLane {
  using Type = Sum;
};
template <>
struct ResizeLane<uint8_t, int16_t> {
  using Type = uint16_t;
};

uint16_t resize_natural(int16_t lane);
uint16_t resize_natural(uint16_t lane);
uint32_t resize_natural(int32_t lane);

// Thirty-two sums as vectors. Their order is one that narrowing by instructions brings in order.
template <class T, class Sum>
struct ResizeVectors {
  using Lane = typename ResizeLane<T, Sum>::Type;
  using Natural = __typeof__(resize_natural(Lane{}));  // what differences and products wrap in
  typedef Lane Vector __attribute__((vector_size(32), aligned(sizeof(Lane)), may_alias));
  typedef Natural Naturals __attribute__((vector_size(32), aligned(sizeof(Lane)), may_alias));
  static constexpr std::ptrdiff_t kElements = 32;
  static constexpr int kCount = sizeof(Sum);
  Naturals at[kCount];
};

#if defined(__AVX2__)

template <class V, class Sum>
[[gnu::always_inline]] inline void resize_load(V& v, const Sum* from) {
  constexpr std::ptrdiff_t kHalf = 16 / sizeof(Sum);
  for (int i = 0; i < V::kCount; ++i) {
    const auto* low = reinterpret_cast<const __m128i*>(from + i * kHalf);
    const auto* high = reinterpret_cast<const __m128i*>(from + (i + V::kCount) * kHalf);
    v.at[i] = reinterpret_cast<typename V::Naturals>(_mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128(low)), _mm_loadu_si128(high), 1));
  }
}

template <class T>
[[gnu::always_inline]] inline void resize_store(const __m256i a, const __m256i b, T* to) {
  const __m256i bytes = T(-1) < T(0) ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), bytes);
}
template <class T>
[[gnu::always_inline]] inline void resize_narrowed(const ResizeVectors<T, int16_t>& v, T* to) {
  resize_store(reinterpret_cast<__m256i>(v.at[0]), reinterpret_cast<__m256i>(v.at[1]), to);
}
template <class T>
[[gnu::always_inline]] inline void resize_narrowed(const ResizeVectors<T, int32_t>& v, T* to) {
  const __m256i low =
      _mm256_packs_epi32(reinterpret_cast<__m256i>(v.at[0]), reinterpret_cast<__m256i>(v.at[1]));
  const __m256i high =
      _mm256_packs_epi32(reinterpret_cast<__m256i>(v.at[2]), reinterpret_cast<__m256i>(v.at[3]));
  resize_store(low, high, to);
}

#else

template <class V, class Sum>
[[gnu::always_inline]] inline void resize_load(V& v, const Sum* from) {
  for (int i = 0; i < V::kCount; ++i) {
    v.at[i] = *reinterpret_cast<const typename V::Naturals*>(from + i * V::kElements / V::kCount);
  }
}

template <class T, class Sum>
[[gnu::always_inline]] inline void resize_narrowed(const ResizeVectors<T, Sum>& v, T* to) {
  constexpr std::ptrdiff_t kPart = 32 / sizeof(Sum);
  typedef T Bytes __attribute__((vector_size(kPart), aligned(1), may_alias));
  for (std::size_t i = 0; i < sizeof(Sum); ++i) {
    *reinterpret_cast<Bytes*>(to + static_cast<std::ptrdiff_t>(i) * kPart) =
        __builtin_convertvector(v.at[i], Bytes);
  }
}

#endif

// Roundings: `addend` is in the sums already. Lane is that of the vectors.
// Ties toward plus infinity.
template <class Lane>
struct ResizeHalfUp {
  Lane addend, shift;
  explicit ResizeHalfUp(int bits)
      : addend(static_cast<Lane>(1 << (bits - 1))), shift(static_cast<Lane>(bits)) {}
  template <class V>
  [[gnu::always_inline]] V operator()(V sum) const {
    return sum >> shift;
  }
};
// Away from zero: negative numbers get one step less than a half, and the floor does the rest.
template <class Lane>
struct ResizeAway : ResizeHalfUp<Lane> {
  using ResizeHalfUp<Lane>::ResizeHalfUp;
  template <class V>
  [[gnu::always_inline]] V operator()(V sum) const {
    return (sum + reinterpret_cast<V>(sum < this->addend)) >> this->shift;
  }
};
// To even: of a tie, floors that are odd go up, all others stay.
template <class Lane>
struct ResizeEven {
  Lane addend = 0, below_half, shift;
  float scale;
  explicit ResizeEven(int bits)
      : below_half(static_cast<Lane>((1 << (bits - 1)) - 1)),
        shift(static_cast<Lane>(bits)),
        scale(1.0F / static_cast<float>(1 << bits)) {}
  template <class V>
  [[gnu::always_inline]] V operator()(V sum) const {
    return (sum + below_half + ((sum >> shift) & Lane{1})) >> shift;
  }
};

// Thirty-two results: `base`, and `weight` times `slope` more.
template <class T, class Sum, class Rounding>
[[gnu::always_inline]] inline void resize_weighted(const ResizeVectors<T, Sum>& base,
                                                   const ResizeVectors<T, Sum>& slope, Sum weight_,
                                                   const Rounding& rounding, T* to) {
  using Vectors = ResizeVectors<T, Sum>;
  const auto weight = static_cast<typename Vectors::Natural>(weight_);
  Vectors result;
  for (int i = 0; i < Vectors::kCount; ++i) {
    const auto sum = reinterpret_cast<typename Vectors::Vector>(base.at[i] + slope.at[i] * weight);
    result.at[i] = reinterpret_cast<typename Vectors::Naturals>(rounding(sum));
  }
  resize_narrowed(result, to);
}

// Of all rows the elements from `at` on, `to` being those of the first row.
template <class T, class Sum, class Rounding>
[[gnu::always_inline]] inline void resize_block(const ResizeRows<T, Sum>& r, const Sum* top,
                                                const Sum* bottom, T* to, std::ptrdiff_t row,
                                                const Rounding& rounding) {
  using Vectors = ResizeVectors<T, Sum>;
  using Natural = typename Vectors::Natural;
  Vectors base, slope;
  resize_load(base, top);
  resize_load(slope, bottom);
  const auto one_bits = static_cast<Natural>(r.one_bits);
  const auto addend = static_cast<Natural>(rounding.addend);
  for (int i = 0; i < Vectors::kCount; ++i) {
    slope.at[i] -= base.at[i];
    base.at[i] = (base.at[i] << one_bits) + addend;
  }
  const Sum* weights = r.weights;
  for (std::ptrdiff_t y = r.rows; y > 0; --y, ++weights, to += row) {
    resize_weighted(base, slope, *weights, rounding, to);
  }
}

#if defined(__AVX2__)
// Ties to even: all sums are floats, and the conversion to integers rounds so.
template <class T>
[[gnu::always_inline]] inline void resize_weighted(const __m256* base, const __m256* slope,
                                                   int32_t weight_, T* to) {
  using Vectors = ResizeVectors<T, int32_t>;
  const __m256 weight = _mm256_set1_ps(static_cast<float>(weight_));
  Vectors result;
  for (int i = 0; i < Vectors::kCount; ++i) {
    const __m256 sum = _mm256_add_ps(base[i], _mm256_mul_ps(slope[i], weight));
    result.at[i] = reinterpret_cast<typename Vectors::Naturals>(_mm256_cvtps_epi32(sum));
  }
  resize_narrowed(result, to);
}
template <class T>
[[gnu::always_inline]] inline void resize_block(const ResizeRows<T, int32_t>& r, const int32_t* top,
                                                const int32_t* bottom, T* to, std::ptrdiff_t row,
                                                const ResizeEven<int32_t>& rounding) {
  using Vectors = ResizeVectors<T, int32_t>;
  Vectors low, high;
  resize_load(low, top);
  resize_load(high, bottom);
  const __m256 scale = _mm256_set1_ps(rounding.scale);
  const __m256 one = _mm256_set1_ps(rounding.scale * static_cast<float>(1 << r.one_bits));
  __m256 base[Vectors::kCount], slope[Vectors::kCount];
  for (int i = 0; i < Vectors::kCount; ++i) {
    const auto from = reinterpret_cast<__m256i>(low.at[i]);
    const auto way = reinterpret_cast<__m256i>(high.at[i] - low.at[i]);
    base[i] = _mm256_mul_ps(_mm256_cvtepi32_ps(from), one);
    slope[i] = _mm256_mul_ps(_mm256_cvtepi32_ps(way), scale);
  }
  const int32_t* weights = r.weights;
  for (std::ptrdiff_t y = r.rows; y > 0; --y, ++weights, to += row) {
    resize_weighted(base, slope, *weights, to);
  }
}
#endif

#if defined(__AVX2__) && !defined(__AVX512F__)
#define EDGETWIN_RESIZE_WALK
// kernels/x86/resize_walk.h: whether these rows are computed so, and how.
template <class T, class Sum>
bool resize_walks(const ResizeRows<T, Sum>& r);
template <class T, class Sum, class Rounding>
void resize_walk(const ResizeRows<T, Sum>& rows, const Rounding& how);
#endif

template <class T, class Sum, class Rounding>
[[gnu::always_inline]] inline void resize_rows(const ResizeRows<T, Sum>& r,
                                               const Rounding& rounding) {
#if defined(EDGETWIN_RESIZE_WALK)
  if (resize_walks(r)) return resize_walk(r, rounding);
#endif
  constexpr std::ptrdiff_t kElements = ResizeVectors<T, Sum>::kElements;
  const Sum* top = resize_sums(r, r.top, r.bottom);
  const Sum* bottom = resize_sums(r, r.bottom, r.top);
  const std::ptrdiff_t count = r.out_width * r.channels;
  if (count < kElements) {
    T few[kElements];
    for (std::ptrdiff_t y = 0; y < r.rows; ++y) {
      ResizeRows<T, Sum> one = r;
      one.weights += y;
      one.rows = 1;
      resize_block(one, top, bottom, few, 0, rounding);
      for (std::ptrdiff_t i = 0; i < count; ++i) r.out[y * count + i] = few[i];
    }
    return;
  }
  // Rows a page and more apart: not more at once than a set of the nearest cache holds, if all of
  // them share one.
  constexpr std::ptrdiff_t kPage = 4096, kHeld = 8;
  const std::ptrdiff_t rows = count >= kPage ? kHeld : r.rows;
  ResizeRows<T, Sum> few = r;
  for (std::ptrdiff_t y = 0; y < r.rows; y += rows) {
    few.weights = r.weights + y;
    few.rows = r.rows - y < rows ? r.rows - y : rows;
    T* const to = r.out + y * count;
    for (std::ptrdiff_t i = 0; i < count; i += kElements) {
      if (i + kElements > count) i = count - kElements;
      resize_block(few, top + i, bottom + i, to + i, count, rounding);
    }
  }
}

template <class Sum>
inline void resize_bytes(const ResizeRows<int8_t, Sum>& r) {
  if (r.half_up) {
    resize_rows(r, ResizeHalfUp<Sum>(r.shift));
  } else {
    resize_rows(r, ResizeAway<Sum>(r.shift));
  }
}

inline void resize_exact_unsigned_bytes(const ResizeRows<uint8_t, int32_t>& r) {
  resize_rows(r, ResizeHalfUp<int32_t>(r.shift));
}
inline void resize_unsigned_words(const ResizeRows<uint8_t, int16_t>& r) {
  resize_rows(r, ResizeHalfUp<uint16_t>(r.shift));
}

template <class T, class Sum>
inline void resize_edgetpu(const ResizeRows<T, Sum>& r) {
  resize_rows(r, ResizeEven<typename ResizeLane<T, Sum>::Type>(r.shift));
}

inline constexpr ResizeTable kResizeTable = {resize_copies,
                                             resize_bytes<int32_t>,
                                             resize_unsigned_bytes,
                                             resize_edgetpu<int8_t, int32_t>,
                                             resize_edgetpu<uint8_t, int32_t>,
                                             resize_exact_unsigned_bytes,
                                             resize_bytes<int16_t>,
                                             resize_unsigned_words,
                                             resize_edgetpu<int8_t, int16_t>,
                                             resize_edgetpu<uint8_t, int16_t>};

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
