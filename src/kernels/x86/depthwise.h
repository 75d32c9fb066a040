// Depthwise layers: one vector of channels, four outputs of a row at a time, over rows whose taps
// lie interleaved (interleave.h); sums first, then their tails. Included once per instruction set,
// after Vec and tails.h.
#pragma once

#include "kernels/core/table8.h"
#include "kernels/x86/tails.h"
#include "kernels/x86/unroll.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Sizes known at compile time; 0: taken from the row.
template <int Height, int Groups, int FirstGroups, int Planes>
struct Sizes {
  int height, groups, first_groups, planes;
  explicit Sizes(const DepthwiseRows& row)
      : height(Height != 0 ? Height : row.kernel_h),
        groups(Groups != 0 ? Groups : row.groups),
        first_groups(FirstGroups != 0 ? FirstGroups : row.first_groups),
        planes(Planes != 0 ? Planes : row.planes) {}
};

// The tails of all vectors of a block.
template <int Vectors, class Tail>
struct TailSet;
template <class Tail>
struct TailSet<1, Tail> {
  Tail at[1];
  TailSet(const TailTable& t, const int32_t* w, int) : at{Tail(t, w)} {}
};
template <class Tail>
struct TailSet<4, Tail> {
  Tail at[4];
  TailSet(const TailTable& t, const int32_t* w, int next)
      : at{Tail(t, w), Tail(t, w + next), Tail(t, w + 2 * next), Tail(t, w + 3 * next)} {}
};

// Sums of vector V of the N outputs from x on; x and N are multiples of Phases.
template <int N, int V, class S, int Vectors, int Phases>
[[gnu::always_inline]] inline void depthwise_sums(const DepthwiseRows& rows, const S& size,
                                                  const uint8_t* const* inputs, int x, I sums[N]) {
  constexpr int bytes = Vectors * Vec::kBytes;
  const std::ptrdiff_t position = (rows.overlap ? 1 : size.groups) * bytes;
  const std::ptrdiff_t phase =
      static_cast<std::ptrdiff_t>(size.height) * size.groups * size.planes * bytes;
  const I bias = Vec::load(rows.bias + V * Vec::kLanes);
  unroll<N>([&](auto i) EDGETWIN_INLINE { sums[i.value] = bias; });
  const int8_t* weights = rows.weights + V * Vec::kBytes;
#pragma GCC unroll 3
  for (int ky = 0; ky < size.height; ++ky) {
    const uint8_t* from = inputs[ky] + x / Phases * position + V * Vec::kBytes;
#pragma GCC unroll 2
    for (int g = 0; g < size.groups; ++g, from += bytes) {
      I taps[N / Phases];
      unroll<N / Phases>([&](auto i) EDGETWIN_INLINE {
        taps[i.value] = Vec::load_bytes(from + i.value * position);
      });
#pragma GCC unroll 2
      for (int p = 0; p < size.planes; ++p, weights += bytes) {
        const I w0 = Vec::load_bytes(weights);
        const I w1 = Phases == 2 ? Vec::load_bytes(weights + phase) : w0;
        unroll<N>([&](auto at) EDGETWIN_INLINE {
          constexpr int i = at.value;
          if (i % Phases == 0 && g >= size.first_groups) return;
          sums[i] = Vec::dot(sums[i], taps[i / Phases], i % Phases == 0 ? w0 : w1);
        });
      }
    }
  }
}

// Sums are computed for a run of outputs, then their tails: so that the walks over windows need not
// be compiled for each tail. A run's sums stay in the nearest cache.
constexpr int kRunPixels = 16;

// The sums of four neighbouring outputs, by vectors; of fewer outputs the others are not set.
template <int Vectors>
struct SumsOfFour {
  I at[Vectors][4];
};

template <int N, class S, int Vectors, int Phases>
[[gnu::always_inline]] inline void keep_sums(const DepthwiseRows& rows, const S& size,
                                             const uint8_t* const* inputs, int x,
                                             SumsOfFour<Vectors>& to) {
  unroll<Vectors>([&](auto v) EDGETWIN_INLINE {
    I sums[N];
    depthwise_sums<N, v.value, S, Vectors, Phases>(rows, size, inputs, x, sums);
    unroll<N>([&](auto i) EDGETWIN_INLINE { to.at[v.value][i.value] = sums[i.value]; });
  });
}

// N outputs of a row, of which the first `count` exist.
template <int N, int Vectors, class Tail>
[[gnu::always_inline]] inline void finish_outputs(const DepthwiseRows& rows, const Tail* tails,
                                                  const Narrow& narrow,
                                                  const SumsOfFour<Vectors>& sums, int count,
                                                  uint8_t* out) {
  I results[Vectors][N];
  unroll<Vectors>([&](auto v) EDGETWIN_INLINE {
    unroll<N>([&](auto i) EDGETWIN_INLINE {
      results[v.value][i.value] =
          finish_sum(tails[v.value], sums.at[v.value][i.value], i.value < count);
    });
  });
  if constexpr (Vectors == 4) {
    unroll<N>([&](auto i) EDGETWIN_INLINE {
      constexpr int n = i.value;
      if (n < count) {
        narrow.store4(results[0][n], results[1][n], results[2][n], results[3][n],
                      out + n * rows.out_stride);
      }
    });
  } else {
    const I* r = results[0];
    narrow.store1(r[0], r[1], r[2 % N], r[3 % N], out, rows.out_stride, count, rows.channels);
  }
}

template <int Vectors, class Tail>
void finish_run(const DepthwiseRows& rows, const SumsOfFour<Vectors>* sums, int pixels,
                uint8_t* out) {
  constexpr int words = Vec::kLanes * kTailRows;
  const Narrow narrow(*rows.tail);
  const TailSet<Vectors, Tail> tails(*rows.tail, rows.tail_words, words);
  for (; pixels > 2; pixels -= 4, ++sums, out += 4 * rows.out_stride) {
    finish_outputs<4, Vectors>(rows, tails.at, narrow, *sums, pixels, out);
  }
  if (pixels > 0) finish_outputs<2, Vectors>(rows, tails.at, narrow, *sums, pixels, out);
}

template <int Vectors>
using FinishRun = void (*)(const DepthwiseRows& rows, const SumsOfFour<Vectors>* sums, int pixels,
                           uint8_t* out);

template <int Vectors>
FinishRun<Vectors> finish_of(TailKind kind) {
  return with_tail(kind,
                   []<class Tail>() -> FinishRun<Vectors> { return finish_run<Vectors, Tail>; });
}

template <class S, int Vectors, int Phases>
void depthwise_rows(const DepthwiseRows& rows) {
  const S size(rows);
  const FinishRun<Vectors> finish = finish_of<Vectors>(rows.tail->kind);
  SumsOfFour<Vectors> sums[kRunPixels / 4];
  const uint8_t* const* inputs = rows.inputs;
  uint8_t* out = rows.out;
  for (int r = 0; r < rows.rows; ++r, inputs += size.height) {
    for (int begin = 0; begin < rows.pixels; begin += kRunPixels) {
      const int end = rows.pixels - begin < kRunPixels ? rows.pixels : begin + kRunPixels;
      SumsOfFour<Vectors>* to = sums;
      int x = begin;
      for (; end - x > 2; x += 4, ++to) {
        keep_sums<4, S, Vectors, Phases>(rows, size, inputs, x, *to);
      }
      if (x < end) keep_sums<2, S, Vectors, Phases>(rows, size, inputs, x, *to);
      finish(rows, sums, end - begin, out + begin * rows.out_stride);
    }
    out += rows.pixels * rows.out_stride;
  }
}

template <class S, int Phases>
void depthwise_vectors(const DepthwiseRows& rows) {
  if (rows.vectors == 4) {
    depthwise_rows<S, 4, Phases>(rows);
  } else {
    depthwise_rows<S, 1, Phases>(rows);
  }
}

// Any sizes, phases and vectors.
inline void depthwise_any(const DepthwiseRows& rows) {
  using Any = Sizes<0, 0, 0, 0>;
  if (rows.phases == 2) {
    depthwise_vectors<Any, 2>(rows);
  } else {
    depthwise_vectors<Any, 1>(rows);
  }
}

// 3x3 windows, with the groups and phases that kernels/i8/depthwise.cc plans for strides 1 and 2.
template <int Planes>
void depthwise_3x3(const DepthwiseRows& rows) {
  if constexpr (Vec::kTaps == 2) {
    if (rows.phases == 2) return depthwise_vectors<Sizes<3, 2, 2, Planes>, 2>(rows);
    return depthwise_vectors<Sizes<3, 2, 2, Planes>, 1>(rows);
  } else {
    if (rows.groups == 1) return depthwise_vectors<Sizes<3, 1, 1, Planes>, 2>(rows);
    return depthwise_vectors<Sizes<3, 2, 1, Planes>, 2>(rows);
  }
}

inline bool is_usual_3x3(const DepthwiseRows& rows) {
  if (rows.kernel_h != 3) return false;
  if (Vec::kTaps == 2) return rows.groups == 2 && rows.first_groups == 2;
  return rows.phases == 2 && rows.first_groups == 1 && rows.groups <= 2;
}

inline void depthwise(const DepthwiseRows& rows) {
  if (is_usual_3x3(rows) && rows.planes == 1) return depthwise_3x3<1>(rows);
  if constexpr (Vec::kElementBytes == 1) {
    if (is_usual_3x3(rows) && rows.planes == 2) return depthwise_3x3<2>(rows);
  }
  depthwise_any(rows);
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
