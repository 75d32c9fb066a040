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

// No vector: what stands for the rest of a tile that has none.
struct Nothing {
  struct V {};
  static constexpr int kLanes = 0;
  static V load(const float* /*p*/) { return {}; }
  static void store(float* /*p*/, V /*v*/) {}
  static V set(float /*f*/) { return {}; }
  static V fma(V /*a*/, V /*b*/, V /*sum*/) { return {}; }
};

// Where the data of `channel` begins, in groups of channels with `size` floats each.
inline const float* of_group(const float* data, int64_t size, int channel) {
  return data + channel / kBlock * size + channel % kBlock;
}

// P places by V vectors of output channels and a narrower one, in registers.
template <class Simd, class Rest, int P, int V>
void row_tile(const RowTask& t, int x, int first_channel, int channels) {
  constexpr int kFull = V * Simd::kLanes, kAll = kFull + Rest::kLanes;
  typename Simd::V sums[P][V];
  typename Rest::V rest[P];
  const float* w[V];
  for (int v = 0; v < V; ++v) {
    const int c = first_channel + v * Simd::kLanes;
    const auto start = Simd::load(t.start + c);
    for (int p = 0; p < P; ++p) sums[p][v] = start;
    w[v] = of_group(t.weights, t.group, c);
  }
  for (int p = 0; p < P; ++p) rest[p] = Rest::load(t.start + first_channel + kFull);
  const float* w_rest = of_group(t.weights, t.group, first_channel + kFull);
  for (int ky = 0; ky < t.kernel_h; ++ky) {
    const float* in = t.in + ky * t.in_row + x * t.in_step;
    int64_t at = ky * t.weight_row;
    // Columns of the kernel and channels lie one after the other.
    const int terms = t.kernel_w * t.channels;
    for (int i = 0; i < terms; ++i, at += kBlock) {
      typename Simd::V weights[V];
      for (int v = 0; v < V; ++v) weights[v] = Simd::load(w[v] + at);
      const auto last = Rest::load(w_rest + at);
      for (int p = 0; p < P; ++p) {
        const float* value = in + p * t.in_step + i;
        for (int v = 0; v < V; ++v) {
          sums[p][v] = Simd::fma(Simd::set(*value), weights[v], sums[p][v]);
        }
        rest[p] = Rest::fma(Rest::set(*value), last, rest[p]);
      }
    }
  }
  for (int p = 0; p < P; ++p) {
    float* out = t.out + (x + p) * t.out_step + first_channel;
    float all[kAll];
    float* to = channels == kAll ? out : all;
    for (int v = 0; v < V; ++v) Simd::store(to + v * Simd::kLanes, sums[p][v]);
    Rest::store(to + kFull, rest[p]);
    if (to == all) std::memcpy(out, all, static_cast<size_t>(channels) * sizeof(float));
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
template <class Simd, class Rest, int V, int... kPlaces>
constexpr std::array<RowTile, sizeof...(kPlaces)> row_tiles(
    std::integer_sequence<int, kPlaces...>) {
  return {row_tile<Simd, Rest, kPlaces + 1, V>...};
}

// The channels from `first` on, as many as the tile has at most.
template <class Simd, class Rest, int P, int V>
inline void row_channels(const RowTask& t, int first) {
  constexpr int kAll = V * Simd::kLanes + Rest::kLanes;
  const int left = t.out_channels - first;
  static constexpr auto kTiles = row_tiles<Simd, Rest, V>(std::make_integer_sequence<int, P>());
  for_parts<P>(t.width, [&](int x, int places) {
    kTiles[static_cast<size_t>(places - 1)](t, x, first, left < kAll ? left : kAll);
  });
}

// I terms of the input by V vectors of the gradient and a narrower one.
template <class Simd, class Rest, int I, int V>
void sum_tile(const SumTask& t, int term, int first) {
  constexpr int kFull = V * Simd::kLanes;
  const int64_t stride = (t.out_channels + kBlock - 1) / kBlock * kBlock;
  float* own = t.sums + term * stride + first;
  typename Simd::V sums[I][V];
  typename Rest::V rest[I];
  for (int i = 0; i < I; ++i) {
    for (int v = 0; v < V; ++v) sums[i][v] = Simd::load(own + i * stride + v * Simd::kLanes);
    rest[i] = Rest::load(own + i * stride + kFull);
  }
  const float* g[V];
  for (int v = 0; v < V; ++v) g[v] = of_group(t.gradient, t.group, first + v * Simd::kLanes);
  const float* g_rest = of_group(t.gradient, t.group, first + kFull);
  for (int y = 0; y < t.height; ++y) {
    const float* in = t.in + y * t.in_row + term;
    int64_t at = y * t.gradient_row;
    for (int x = 0; x < t.width; ++x, in += t.step, at += kBlock) {
      typename Simd::V gradients[V];
      for (int v = 0; v < V; ++v) gradients[v] = Simd::load(g[v] + at);
      const auto last = Rest::load(g_rest + at);
      for (int i = 0; i < I; ++i) {
        for (int v = 0; v < V; ++v) {
          sums[i][v] = Simd::fma(Simd::set(in[i]), gradients[v], sums[i][v]);
        }
        rest[i] = Rest::fma(Rest::set(in[i]), last, rest[i]);
      }
    }
  }
  for (int i = 0; i < I; ++i) {
    for (int v = 0; v < V; ++v) Simd::store(own + i * stride + v * Simd::kLanes, sums[i][v]);
    Rest::store(own + i * stride + kFull, rest[i]);
  }
}

using SumTile = void (*)(const SumTask&, int, int);

template <class Simd, class Rest, int V, int... kChannels>
constexpr std::array<SumTile, sizeof...(kChannels)> sum_tiles(
    std::integer_sequence<int, kChannels...>) {
  return {sum_tile<Simd, Rest, kChannels + 1, V>...};
}

template <class Simd, class Rest, int I, int V>
inline void sum_channels(const SumTask& t, int first) {
  static constexpr auto kTiles = sum_tiles<Simd, Rest, V>(std::make_integer_sequence<int, I>());
  for_parts<I>(t.terms,
               [&](int i, int terms) { kTiles[static_cast<size_t>(terms - 1)](t, i, first); });
}

// Both tasks by the tiles that an instruction set has for the channels: Columns::each calls
// body.operator()<Simd, Rest, P, V>(first channel).
template <class Columns>
void row(const RowTask& t) {
  Columns::each(t.out_channels, [&]<class Simd, class Rest, int P, int V>(int c) {
    row_channels<Simd, Rest, P, V>(t, c);
  });
}

template <class Columns>
void sum(const SumTask& t) {
  Columns::each(t.out_channels, [&]<class Simd, class Rest, int P, int V>(int c) {
    sum_channels<Simd, Rest, P, V>(t, c);
  });
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
      const auto before = t.sets ? Simd::set(0.0F) : Simd::load(t.out[k] + c);
      Simd::store(t.out[k] + c, Simd::add(before, part));
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
