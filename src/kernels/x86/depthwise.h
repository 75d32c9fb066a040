// Depthwise layers: one vector of channels, four outputs of a row at a time, over rows whose taps
// lie interleaved (interleave.h). Included once per instruction set, after Vec and tails.h.
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

// N outputs of a row, of which the first `count` exist.
template <int N, class S, int Vectors, int Phases, class Tail>
[[gnu::always_inline]] inline void depthwise_outputs(const DepthwiseRows& rows, const S& size,
                                                     const Tail* tails, const Narrow& narrow,
                                                     const uint8_t* const* inputs, int x,
                                                     uint8_t* out) {
  I results[Vectors][N];
  const int count = rows.pixels - x;
  unroll<Vectors>([&](auto v) EDGETWIN_INLINE {
    depthwise_sums<N, v.value, S, Vectors, Phases>(rows, size, inputs, x, results[v.value]);
    unroll<N>([&](auto i) EDGETWIN_INLINE {
      results[v.value][i.value] =
          finish_sum(tails[v.value], results[v.value][i.value], i.value < count);
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

template <class S, int Vectors, int Phases, class Tail>
void depthwise_rows(const DepthwiseRows& rows) {
  constexpr int words = Vec::kLanes * kTailRows;
  const S size(rows);
  const Narrow narrow(*rows.tail);
  const TailSet<Vectors, Tail> tails(*rows.tail, rows.tail_words, words);
  const uint8_t* const* inputs = rows.inputs;
  uint8_t* out = rows.out;
  for (int r = 0; r < rows.rows; ++r, inputs += size.height) {
    int x = 0;
    for (; rows.pixels - x > 2; x += 4) {
      depthwise_outputs<4, S, Vectors, Phases>(rows, size, tails.at, narrow, inputs, x,
                                               out + x * rows.out_stride);
    }
    if (x < rows.pixels) {
      depthwise_outputs<2, S, Vectors, Phases>(rows, size, tails.at, narrow, inputs, x,
                                               out + x * rows.out_stride);
    }
    out += rows.pixels * rows.out_stride;
  }
}

template <class S, int Phases, class Tail>
void depthwise_vectors(const DepthwiseRows& rows) {
  if (rows.vectors == 4) {
    depthwise_rows<S, 4, Phases, Tail>(rows);
  } else {
    depthwise_rows<S, 1, Phases, Tail>(rows);
  }
}

// Any sizes, phases and vectors.
template <class Tail>
void depthwise_any(const DepthwiseRows& rows) {
  using Any = Sizes<0, 0, 0, 0>;
  if (rows.phases == 2) {
    depthwise_vectors<Any, 2, Tail>(rows);
  } else {
    depthwise_vectors<Any, 1, Tail>(rows);
  }
}

// 3x3 windows, with the groups and phases that conv_i8.cc plans for strides 1 and 2.
template <int Planes, class Tail>
void depthwise_3x3(const DepthwiseRows& rows) {
  if constexpr (Vec::kTaps == 2) {
    if (rows.phases == 2) return depthwise_vectors<Sizes<3, 2, 2, Planes>, 2, Tail>(rows);
    return depthwise_vectors<Sizes<3, 2, 2, Planes>, 1, Tail>(rows);
  } else {
    if (rows.groups == 1) return depthwise_vectors<Sizes<3, 1, 1, Planes>, 2, Tail>(rows);
    return depthwise_vectors<Sizes<3, 2, 1, Planes>, 2, Tail>(rows);
  }
}

inline bool is_usual_3x3(const DepthwiseRows& rows) {
  if (rows.kernel_h != 3) return false;
  if (Vec::kTaps == 2) return rows.groups == 2 && rows.first_groups == 2;
  return rows.phases == 2 && rows.first_groups == 1 && rows.groups <= 2;
}

template <class Tail>
void depthwise_sizes(const DepthwiseRows& rows) {
  if (is_usual_3x3(rows) && rows.planes == 1) return depthwise_3x3<1, Tail>(rows);
  if constexpr (Vec::kElementBytes == 1) {
    if (is_usual_3x3(rows) && rows.planes == 2) return depthwise_3x3<2, Tail>(rows);
  }
  depthwise_any<Tail>(rows);
}

inline void depthwise(const DepthwiseRows& rows) {
  switch (rows.tail->kind) {
    case TailKind::right_shift:
      return depthwise_sizes<RightShift>(rows);
    case TailKind::both_shifts:
      return depthwise_sizes<BothShifts>(rows);
    case TailKind::signed_double:
      return depthwise_sizes<SignedDouble>(rows);
    case TailKind::half_up:
      return depthwise_sizes<HalfUp>(rows);
    case TailKind::half_even:
      return depthwise_sizes<HalfEven>(rows);
    case TailKind::float_even:
      return depthwise_sizes<FloatEven>(rows);
    case TailKind::general:
      return depthwise_any<General>(rows);
  }
}

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
