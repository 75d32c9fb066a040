// The float kernels over the vectors of one instruction set: FloatVec, which comes before this
// file.
#pragma once

#include "kernels/core/float_table.h"
#include "kernels/x86/unroll.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

inline constexpr int kFloatWidth = 2 * FloatVec::kLanes;

// A tile of R rows and two vectors of columns, all sums in registers.
template <int R>
void float_rows(const FloatTile& t) {
  FloatVec sums[R][2];
  unroll<R>([&](auto r) EDGETWIN_INLINE {
    constexpr int i = decltype(r)::value;
    const float* c = t.c + i * t.c_row;
    if (t.row_start != nullptr) {
      sums[i][0] = sums[i][1] = FloatVec::all(t.row_start[i]);
    } else {
      sums[i][0] = FloatVec::load(c);
      sums[i][1] = FloatVec::load(c + FloatVec::kLanes);
    }
  });
  const float* b = t.b;
  for (int64_t k = 0; k < t.depth; ++k, b += kFloatWidth) {
    const FloatVec b0 = FloatVec::load(b);
    const FloatVec b1 = FloatVec::load(b + FloatVec::kLanes);
    unroll<R>([&](auto r) EDGETWIN_INLINE {
      constexpr int i = decltype(r)::value;
      const FloatVec a = FloatVec::all(t.a[i * t.a_row + k]);
      sums[i][0] = FloatVec::fma(a, b0, sums[i][0]);
      sums[i][1] = FloatVec::fma(a, b1, sums[i][1]);
    });
  }
  unroll<R>([&](auto r) EDGETWIN_INLINE {
    constexpr int i = decltype(r)::value;
    float* c = t.c + i * t.c_row;
    sums[i][0].store(c);
    sums[i][1].store(c + FloatVec::kLanes);
  });
}

template <int R>
void float_rows_up_to(const FloatTile& t) {
  if constexpr (R > 0) {
    if (t.rows == R) return float_rows<R>(t);
    float_rows_up_to<R - 1>(t);
  }
}

// Fewer columns than a tile has: computed in a buffer.
inline void float_narrow(const FloatTile& t) {
  float buffer[FloatVec::kRows * kFloatWidth] = {};
  FloatTile whole = t;
  whole.c = buffer;
  whole.c_row = kFloatWidth;
  for (int r = 0; r < t.rows && t.row_start == nullptr; ++r) {
    for (int j = 0; j < t.columns; ++j) buffer[r * kFloatWidth + j] = t.c[r * t.c_row + j];
  }
  float_rows_up_to<FloatVec::kRows>(whole);
  for (int r = 0; r < t.rows; ++r) {
    for (int j = 0; j < t.columns; ++j) t.c[r * t.c_row + j] = buffer[r * kFloatWidth + j];
  }
}

inline void float_tile(const FloatTile& t) {
  if (t.columns < kFloatWidth) return float_narrow(t);
  float_rows_up_to<FloatVec::kRows>(t);
}

inline void float_taps(const FloatTaps& t) {
  constexpr int kLanes = FloatVec::kLanes;
  for (int x = 0; x < t.count; x += kLanes) {
    FloatVec sum = FloatVec::all(t.start);
    for (int i = 0; i < t.tap_count; ++i) {
      sum = FloatVec::fma(FloatVec::all(t.weights[i]), FloatVec::load(t.taps[i] + x), sum);
    }
    if (x + kLanes <= t.count) {
      sum.store(t.out + x);
    } else {
      float rest[kLanes];
      sum.store(rest);
      for (int j = 0; x + j < t.count; ++j) t.out[x + j] = rest[j];
    }
  }
}

template <int P>
void float_chains_of(const FloatChains& t) {
  FloatVec sums[P][2];
  unroll<P>([&](auto p) EDGETWIN_INLINE {
    constexpr int i = decltype(p)::value;
    sums[i][0] = sums[i][1] = FloatVec::all(0.0F);
  });
  for (int tap = 0; tap < t.tap_count; ++tap) {
    const float* const* pixels = t.pixels + tap * P;
    const float* w = t.weights[tap];
    for (std::ptrdiff_t k = 0; k < t.depth; ++k, w += kFloatWidth) {
      const FloatVec w0 = FloatVec::load(w);
      const FloatVec w1 = FloatVec::load(w + FloatVec::kLanes);
      unroll<P>([&](auto p) EDGETWIN_INLINE {
        constexpr int i = decltype(p)::value;
        const FloatVec x = FloatVec::all(pixels[i][k]);
        sums[i][0] = FloatVec::add(sums[i][0], FloatVec::multiply(x, w0));
        sums[i][1] = FloatVec::add(sums[i][1], FloatVec::multiply(x, w1));
      });
    }
  }
  unroll<P>([&](auto p) EDGETWIN_INLINE {
    constexpr int i = decltype(p)::value;
    sums[i][0].store(t.out + i * kFloatWidth);
    sums[i][1].store(t.out + i * kFloatWidth + FloatVec::kLanes);
  });
}

template <int P>
void float_chains_up_to(const FloatChains& t) {
  if constexpr (P > 0) {
    if (t.count == P) return float_chains_of<P>(t);
    float_chains_up_to<P - 1>(t);
  }
}

inline void float_chains(const FloatChains& t) { float_chains_up_to<FloatVec::kRows>(t); }

inline void float_channels(const FloatChannels& t) {
  constexpr int kLanes = FloatVec::kLanes;
  std::ptrdiff_t c = 0;
  for (; c + kLanes <= t.channels; c += kLanes) {
    FloatVec sum = FloatVec::all(0.0F);
    for (int i = 0; i < t.tap_count; ++i) {
      const FloatVec x = FloatVec::load(t.pixels[i] + c);
      sum = FloatVec::add(sum, FloatVec::multiply(x, FloatVec::load(t.weights[i] + c)));
    }
    sum.store(t.out + c);
  }
  for (; c < t.channels; ++c) {
    float sum = 0.0F;
    for (int i = 0; i < t.tap_count; ++i) sum = sum + t.pixels[i][c] * t.weights[i][c];
    t.out[c] = sum;
  }
}

inline constexpr FloatTable kFloatTable = {FloatVec::kPath, kFloatWidth, FloatVec::kRows,
                                           float_tile,      float_taps,  float_chains,
                                           float_channels};

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
