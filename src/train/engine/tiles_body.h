// The tiles over a type of vectors: Simd has V (a vector), kLanes, load, store, store_bytes, set,
// fma, add, sub, mul, floor, if_more, if_equal, more, not_less. Included by one file per
// instruction set, inside an anonymous namespace.
#pragma once

#include <array>
#include <cstring>
#include <utility>

#include "train/engine/tiles.h"

namespace edgetwin::train {
namespace {

constexpr int kBlock = 16;

// Where vector `v` from `channel` on begins, in data of groups of channels with `size` floats each.
template <class Simd>
const float* of_group(const float* data, int64_t size, int channel, int v) {
  const int c = channel + v * Simd::kLanes;
  return data + c / kBlock * size + c % kBlock;
}

// P places by V vectors of output channels in registers.
template <class Simd, int P, int V>
void row_tile(const RowTask& t, int x, int first_channel, int channels) {
  typename Simd::V sums[P][V];
  for (int v = 0; v < V; ++v) {
    const auto start = Simd::load(t.start + first_channel + v * Simd::kLanes);
    for (int p = 0; p < P; ++p) sums[p][v] = start;
  }
  const int64_t group = int64_t{t.kernel_h} * t.kernel_w * t.channels * kBlock;
  const float* w[V];
  for (int v = 0; v < V; ++v) w[v] = of_group<Simd>(t.weights, group, first_channel, v);
  int64_t at = 0;
  for (int ky = 0; ky < t.kernel_h; ++ky) {
    const float* in = t.in + ky * t.in_row + int64_t{x} * t.channels;
    // Columns of the kernel and channels lie one after the other.
    const int terms = t.kernel_w * t.channels;
    for (int i = 0; i < terms; ++i, at += kBlock) {
      typename Simd::V weights[V];
      for (int v = 0; v < V; ++v) weights[v] = Simd::load(w[v] + at);
      for (int p = 0; p < P; ++p) {
        const auto value = Simd::set(in[int64_t{p} * t.channels + i]);
        for (int v = 0; v < V; ++v) sums[p][v] = Simd::fma(value, weights[v], sums[p][v]);
      }
    }
  }
  for (int p = 0; p < P; ++p) {
    float* out = t.out + int64_t{x + p} * t.out_channels + first_channel;
    if (channels == V * Simd::kLanes) {
      for (int v = 0; v < V; ++v) Simd::store(out + v * Simd::kLanes, sums[p][v]);
    } else {
      float all[V * Simd::kLanes];
      for (int v = 0; v < V; ++v) Simd::store(all + v * Simd::kLanes, sums[p][v]);
      std::memcpy(out, all, static_cast<size_t>(channels) * sizeof(float));
    }
  }
}

// Calls body(first, size) for parts of nearly one size, of at most `kMost`: a tile of few places
// has too few chains to keep the multipliers busy.
template <int kMost, class Body>
inline void for_parts(int count, const Body& body) {
  const int parts = (count + kMost - 1) / kMost;
  for (int k = 0; k < parts; ++k) {
    const int first = count * k / parts;
    body(first, count * (k + 1) / parts - first);
  }
}

using RowTile = void (*)(const RowTask&, int, int, int);

// The tiles of 1, 2, ... places.
template <class Simd, int V, int... kPlaces>
constexpr std::array<RowTile, sizeof...(kPlaces)> row_tiles(
    std::integer_sequence<int, kPlaces...>) {
  return {row_tile<Simd, kPlaces + 1, V>...};
}

template <class Simd, int P, int V>
inline void row_channels(const RowTask& t, int first_channel) {
  const int left = t.out_channels - first_channel;
  const int channels = left < V * Simd::kLanes ? left : V * Simd::kLanes;
  static constexpr auto kTiles = row_tiles<Simd, V>(std::make_integer_sequence<int, P>());
  for_parts<P>(t.width, [&](int x, int places) {
    kTiles[static_cast<size_t>(places - 1)](t, x, first_channel, channels);
  });
}

template <class Simd, int P, int V>
void row(const RowTask& t) {
  constexpr int kStep = V * Simd::kLanes;
  int c = 0;
  for (; c + kStep <= t.blocks * kBlock; c += kStep) row_channels<Simd, P, V>(t, c);
  constexpr int kSmall = kBlock / Simd::kLanes;
  for (; c < t.blocks * kBlock && c < t.out_channels; c += kBlock) {
    row_channels<Simd, P, kSmall>(t, c);
  }
}

// I terms of the input by V vectors of the gradient.
template <class Simd, int I, int V>
void sum_tile(const SumTask& t, int term, int first) {
  const int64_t stride = int64_t{t.blocks} * kBlock;
  typename Simd::V sums[I][V];
  for (int i = 0; i < I; ++i) {
    for (int v = 0; v < V; ++v) {
      sums[i][v] = Simd::load(t.sums + (term + i) * stride + first + v * Simd::kLanes);
    }
  }
  const int64_t group = int64_t{t.height} * t.width * kBlock;
  const float* g[V];
  for (int v = 0; v < V; ++v) g[v] = of_group<Simd>(t.gradient, group, first, v);
  int64_t at = 0;
  for (int y = 0; y < t.height; ++y) {
    const float* in = t.in + y * t.in_row + term;
    for (int x = 0; x < t.width; ++x, in += t.step, at += kBlock) {
      typename Simd::V gradients[V];
      for (int v = 0; v < V; ++v) gradients[v] = Simd::load(g[v] + at);
      for (int i = 0; i < I; ++i) {
        const auto value = Simd::set(in[i]);
        for (int v = 0; v < V; ++v) sums[i][v] = Simd::fma(value, gradients[v], sums[i][v]);
      }
    }
  }
  for (int i = 0; i < I; ++i) {
    for (int v = 0; v < V; ++v) {
      Simd::store(t.sums + (term + i) * stride + first + v * Simd::kLanes, sums[i][v]);
    }
  }
}

using SumTile = void (*)(const SumTask&, int, int);

template <class Simd, int V, int... kChannels>
constexpr std::array<SumTile, sizeof...(kChannels)> sum_tiles(
    std::integer_sequence<int, kChannels...>) {
  return {sum_tile<Simd, kChannels + 1, V>...};
}

template <class Simd, int I, int V>
inline void sum_channels(const SumTask& t, int first) {
  static constexpr auto kTiles = sum_tiles<Simd, V>(std::make_integer_sequence<int, I>());
  for_parts<I>(t.terms,
               [&](int i, int terms) { kTiles[static_cast<size_t>(terms - 1)](t, i, first); });
}

template <class Simd, int I, int V>
void sum(const SumTask& t) {
  constexpr int kStep = V * Simd::kLanes;
  int c = 0;
  for (; c + kStep <= t.blocks * kBlock; c += kStep) sum_channels<Simd, I, V>(t, c);
  constexpr int kSmall = kBlock / Simd::kLanes;
  for (; c < t.blocks * kBlock; c += kBlock) sum_channels<Simd, I, kSmall>(t, c);
}

// Taps are counted in floats, so that one comparison of floats finds them again.
template <class Simd>
void pick(const PickTask& t) {
  int c = 0;
  for (; c + Simd::kLanes <= t.channels; c += Simd::kLanes) {
    auto best = Simd::load(t.in[0] + c);
    auto at = Simd::set(0.0F);
    for (int k = 1; k < t.taps; ++k) {
      const auto value = Simd::load(t.in[k] + c);
      at = Simd::if_more(value, best, Simd::set(static_cast<float>(k)), at);
      best = Simd::if_more(value, best, value, best);
    }
    const auto gradient = Simd::load(t.gradient + c);
    for (int k = 0; k < t.taps; ++k) {
      const auto part = Simd::if_equal(at, Simd::set(static_cast<float>(k)), gradient);
      Simd::store(t.out[k] + c, Simd::add(Simd::load(t.out[k] + c), part));
    }
  }
  for (; c < t.channels; ++c) pick_channel(t, c);
}

template <class Simd>
typename Simd::V limited(typename Simd::V v, typename Simd::V low, typename Simd::V high) {
  v = Simd::if_more(low, v, low, v);
  return Simd::if_more(v, high, high, v);
}

template <class Simd, FinishRounding kRounding>
typename Simd::V floored(typename Simd::V v) {
  if constexpr (kRounding == FinishRounding::wide) return Simd::floor(v);
  const auto most = Simd::set(kMostFloored), whole = Simd::set(kWholeNumbers);
  v = limited<Simd>(v, Simd::set(-kMostFloored), most);
  const auto nearest = Simd::sub(Simd::add(v, whole), whole);
  return Simd::sub(nearest, Simd::more(nearest, v));
}

template <class Simd, FinishActivation kActivation, FinishRounding kRounding>
void finish_values(const FinishTask& t) {
  const auto zero = Simd::set(0.0F), half = Simd::set(0.5F), scale = Simd::set(t.scale);
  const auto grid = Simd::set(t.grid), unit = Simd::set(1 / t.grid);
  const auto low = Simd::set(t.low), high = Simd::set(t.high);
  int64_t i = 0;
  for (; i + Simd::kLanes <= t.count; i += Simd::kLanes) {
    auto v = Simd::mul(Simd::load(t.values + i), scale);
    auto factor = Simd::set(1.0F);
    if constexpr (kActivation == FinishActivation::relu) {
      factor = Simd::more(v, zero);
      v = Simd::if_more(v, zero, v, zero);
    } else if constexpr (kActivation == FinishActivation::abs) {
      factor = Simd::sub(Simd::more(v, zero), Simd::more(zero, v));
      v = Simd::if_more(zero, v, Simd::sub(zero, v), v);
    }
    if constexpr (kRounding != FinishRounding::no) {
      v = Simd::mul(floored<Simd, kRounding>(Simd::add(Simd::mul(v, grid), half)), unit);
    }
    const auto within = Simd::mul(Simd::not_less(v, low), Simd::not_less(high, v));
    Simd::store_bytes(t.factors + i, Simd::mul(factor, within));
    Simd::store(t.values + i, limited<Simd>(v, low, high));
  }
  for (; i < t.count; ++i) finish_value(t, i);
}

template <class Simd, FinishActivation kActivation>
void finish_with(const FinishTask& t) {
  switch (t.rounding) {
    case FinishRounding::no:
      return finish_values<Simd, kActivation, FinishRounding::no>(t);
    case FinishRounding::small:
      return finish_values<Simd, kActivation, FinishRounding::small>(t);
    case FinishRounding::wide:
      return finish_values<Simd, kActivation, FinishRounding::wide>(t);
  }
}

template <class Simd>
void finish(const FinishTask& t) {
  switch (t.activation) {
    case FinishActivation::none:
      return finish_with<Simd, FinishActivation::none>(t);
    case FinishActivation::relu:
      return finish_with<Simd, FinishActivation::relu>(t);
    case FinishActivation::abs:
      return finish_with<Simd, FinishActivation::abs>(t);
  }
}

}  // namespace
}  // namespace edgetwin::train
