// The inner loops of the fast walks on raw pointers, as each instruction set supplies them.
#pragma once

#include <cmath>
#include <cstdint>

namespace edgetwin::train {

// A line of outputs, along a row or a column: places `x` of `width`.
//   out[x][c] = start[c], then for ky, kx, i: fma(in[x][ky][kx][i], weights[ky][kx][i][c], .)
// Weights lie group by group, so that a tile reads them one after the other.
struct RowTask {
  const float* in = nullptr;          // with its halo; place 0
  int64_t in_step = 0, in_row = 0;    // floats from one place, one row to the next
  int channels = 0;                   // of the input
  const float* weights = nullptr;     // (group of c, ky, kx, i, 16)
  int64_t group = 0, weight_row = 0;  // floats from one group, one row of weights to the next
  const float* start = nullptr;       // padded likewise
  float* out = nullptr;
  int64_t out_step = 0;  // floats from one place to the next
  int width = 0, kernel_h = 0, kernel_w = 0;
  int out_channels = 0;  // without padding
};

// Sums over places: for y, x, each term i of `in` (columns of the kernel and channels, which lie
// one after the other) and c of `gradient`:
//   sums[i][c] = fma(in[y][x][i], gradient[y][x][c], sums[i][c])
struct SumTask {
  const float* in = nullptr;  // of one row of taps
  int64_t in_row = 0;
  int step = 0;  // floats from one place to the next
  int terms = 0;
  const float* gradient = nullptr;      // (group of c, y, x, 16), rows without a halo
  int64_t group = 0, gradient_row = 0;  // floats from one group, row to the next
  int out_channels = 0;                 // c, without padding
  int width = 0, height = 0;
  float* sums = nullptr;  // (i, c), rows padded to groups of 16
};

// The gradient of a maximum at one place: for each channel c, the first tap k whose in[k][c] is the
// largest gets it, out[k][c] += gradient[c], and all others += 0. `sets`: out is taken for 0
// before.
struct PickTask {
  const float* const* in = nullptr;  // by tap
  float* const* out = nullptr;
  int taps = 0;
  const float* gradient = nullptr;
  int channels = 0;
  bool sets = false;
};

// The task for one channel: what vectors of them are held equal to. Each file has its own, compiled
// for its instruction set.
static inline void pick_channel(const PickTask& t, int c) {
  int at = 0;
  for (int k = 1; k < t.taps; ++k) at = t.in[k][c] > t.in[at][c] ? k : at;
  for (int k = 0; k < t.taps; ++k) {
    const float before = t.sets ? 0.0F : t.out[k][c];
    t.out[k][c] = before + (k == at ? t.gradient[c] : 0.0F);
  }
}

// floor(v) for magnitudes below 2^22, larger ones are cut to 2^21: beyond all limits of 8 bits. The
// sum with 1.5 * 2^23 is rounded to a whole number; plain operations, which vectors have too.
inline constexpr float kMostFloored = 1 << 21, kWholeNumbers = 12'582'912;
static inline float floor_of_small(float v) {
  v = v < -kMostFloored ? -kMostFloored : v;
  v = kMostFloored < v ? kMostFloored : v;
  const float nearest = (v + kWholeNumbers) - kWholeNumbers;
  return nearest - (nearest > v ? 1.0F : 0.0F);
}

// The output stage of a layer: scale, activation, rounding to a grid and clamp of values in place,
// and of each the factor of its gradient: 0 where a clamp acted, -1 below zero of an Abs, else 1.
enum class FinishActivation : uint8_t { none, relu, abs };
enum class FinishRounding : uint8_t { no, small, wide };  // small: as floor_of_small
struct FinishTask {
  float* values = nullptr;
  int8_t* factors = nullptr;
  int64_t count = 0;
  float scale = 1, low = 0, high = 0;
  float grid = 1;  // a power of two
  FinishActivation activation = FinishActivation::none;
  FinishRounding rounding = FinishRounding::no;
};

// The task for one value.
static inline void finish_value(const FinishTask& t, int64_t i) {
  float v = t.values[i] * t.scale;
  int factor = 1;
  if (t.activation == FinishActivation::relu) {
    factor = v > 0 ? 1 : 0;
    v = v > 0 ? v : 0.0F;
  } else if (t.activation == FinishActivation::abs) {
    factor = (v > 0 ? 1 : 0) - (v < 0 ? 1 : 0);
    v = v < 0 ? -v : v;
  }
  if (t.rounding == FinishRounding::small) {
    v = floor_of_small(v * t.grid + 0.5F) * (1 / t.grid);
  } else if (t.rounding == FinishRounding::wide) {
    v = std::floor(v * t.grid + 0.5F) * (1 / t.grid);
  }
  const int within = (v >= t.low ? 1 : 0) & (v <= t.high ? 1 : 0);
  t.factors[i] = static_cast<int8_t>(factor * within);
  v = v < t.low ? t.low : v;
  t.values[i] = t.high < v ? t.high : v;
}

struct TileFunctions {
  void (*row)(const RowTask&);
  void (*sum)(const SumTask&);
  void (*pick)(const PickTask&);
  void (*finish)(const FinishTask&);
};

// Null where the build or the processor does not have them.
const TileFunctions* tiles_avx2();
const TileFunctions* tiles_avx512();

}  // namespace edgetwin::train
