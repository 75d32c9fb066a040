#include "train/engine/convolution.h"

#include <cmath>
#include <type_traits>

#include "train/engine/fast.h"

namespace edgetwin::train {
namespace {

int small_size(int large, int kernel, int stride, int pad, int dilation) {
  const int room = large + 2 * pad - (kernel - 1) * dilation - 1;
  return room < 0 ? 0 : room / stride + 1;
}

float chained(float a, float b, float sum) { return std::fma(a, b, sum); }
int32_t chained(int32_t a, int32_t b, int32_t sum) { return sum + a * b; }

// The chain of one output of gather: `f` and the place of the small map are given.
template <class T>
T gathered(const MapsOf<T>& large, int item, std::span<const T> weights, const Window& v, int f,
           int y, int x, T start) {
  const int each = v.second / v.groups;
  const int group = f / (v.first / v.groups);
  T sum = start;
  for (int ky = 0; ky < v.kernel.h; ++ky) {
    const int ly = y * v.stride.h - v.pad.h + ky * v.dilation.h;
    if (ly < 0 || ly >= large.h) continue;
    for (int kx = 0; kx < v.kernel.w; ++kx) {
      const int lx = x * v.stride.w - v.pad.w + kx * v.dilation.w;
      if (lx < 0 || lx >= large.w) continue;
      const T* in = large.at(item, ly, lx) + group * each;
      for (int s = 0; s < each; ++s) sum = chained(in[s], weights[v.index(f, s, ky, kx)], sum);
    }
  }
  return sum;
}

// The place of the small map that a tap connects with place `at` of the large one; -1: none.
int source_of(int at, int tap, int stride, int pad, int dilation, int size) {
  const int distance = at + pad - tap * dilation;
  if (distance < 0 || distance % stride != 0 || distance / stride >= size) return -1;
  return distance / stride;
}

template <class T>
T scattered(const MapsOf<T>& small, int item, std::span<const T> weights, const Window& v,
            int channel, int y, int x, T start) {
  const int each = v.second / v.groups;
  const int firsts = v.first / v.groups;
  const int group = channel / each;
  const int s = channel % each;
  T sum = start;
  for (int ky = v.kernel.h - 1; ky >= 0; --ky) {
    const int sy = source_of(y, ky, v.stride.h, v.pad.h, v.dilation.h, small.h);
    if (sy < 0) continue;
    for (int kx = v.kernel.w - 1; kx >= 0; --kx) {
      const int sx = source_of(x, kx, v.stride.w, v.pad.w, v.dilation.w, small.w);
      if (sx < 0) continue;
      const T* in = small.at(item, sy, sx) + group * firsts;
      for (int f = 0; f < firsts; ++f) {
        sum = chained(in[f], weights[v.index(group * firsts + f, s, ky, kx)], sum);
      }
    }
  }
  return sum;
}

// Adds the products of one picture to the sums of its chunk.
void correlate_item(const Maps& small, const Maps& large, int item, const Window& v, float* sums) {
  const int each = v.second / v.groups;
  const int firsts = v.first / v.groups;
  for (int y = 0; y < small.h; ++y) {
    for (int x = 0; x < small.w; ++x) {
      const float* out = small.at(item, y, x);
      for (int ky = 0; ky < v.kernel.h; ++ky) {
        const int ly = y * v.stride.h - v.pad.h + ky * v.dilation.h;
        if (ly < 0 || ly >= large.h) continue;
        for (int kx = 0; kx < v.kernel.w; ++kx) {
          const int lx = x * v.stride.w - v.pad.w + kx * v.dilation.w;
          if (lx < 0 || lx >= large.w) continue;
          const float* in = large.at(item, ly, lx);
          for (int f = 0; f < v.first; ++f) {
            const float* row = in + f / firsts * each;
            for (int s = 0; s < each; ++s) {
              float& sum = sums[v.index(f, s, ky, kx)];
              sum = std::fma(out[f], row[s], sum);
            }
          }
        }
      }
    }
  }
}

template <class T>
T start_of(std::span<const T> bias, int channel) {
  return bias.empty() ? T{} : bias[static_cast<size_t>(channel)];
}

}  // namespace

Pair Window::small_of(Pair large) const {
  return {small_size(large.h, kernel.h, stride.h, pad.h, dilation.h),
          small_size(large.w, kernel.w, stride.w, pad.w, dilation.w)};
}

template <class T>
MapsOf<T> gather(const MapsOf<T>& large, std::span<const std::type_identity_t<T>> weights,
                 std::span<const std::type_identity_t<T>> bias, const Window& window,
                 ThreadPool& pool, const ItemHookOf<T>& after) {
  if constexpr (std::is_same_v<T, float>) {
    if (auto fast = fast_gather(large, weights, bias, window, pool, after)) return std::move(*fast);
  }
  const Pair size = window.small_of({large.h, large.w});
  MapsOf<T> small = MapsOf<T>::unset(large.n, size.h, size.w, window.first);
  for_items(pool, large.n, [&](int first, int last) {
    for (int item = first; item < last; ++item) {
      for (int y = 0; y < size.h; ++y) {
        for (int x = 0; x < size.w; ++x) {
          T* out = small.at(item, y, x);
          for (int f = 0; f < window.first; ++f) {
            out[f] = gathered<T>(large, item, weights, window, f, y, x, start_of<T>(bias, f));
          }
        }
      }
    }
    if (after) after(small, first, last);
  });
  return small;
}

template <class T>
MapsOf<T> scatter(const MapsOf<T>& small, std::span<const std::type_identity_t<T>> weights,
                  std::span<const std::type_identity_t<T>> bias, const Window& window, Pair size,
                  ThreadPool& pool, const ItemHookOf<T>& after) {
  if constexpr (std::is_same_v<T, float>) {
    if (auto fast = fast_scatter(small, weights, bias, window, size, pool, after)) {
      return std::move(*fast);
    }
  }
  MapsOf<T> large = MapsOf<T>::unset(small.n, size.h, size.w, window.second);
  for_items(pool, small.n, [&](int first, int last) {
    for (int item = first; item < last; ++item) {
      for (int y = 0; y < size.h; ++y) {
        for (int x = 0; x < size.w; ++x) {
          T* out = large.at(item, y, x);
          for (int c = 0; c < window.second; ++c) {
            out[c] = scattered<T>(small, item, weights, window, c, y, x, start_of<T>(bias, c));
          }
        }
      }
    }
    if (after) after(large, first, last);
  });
  return large;
}

std::vector<float> correlate(const Maps& small, const Maps& large, const Window& window,
                             ThreadPool& pool) {
  if (auto fast = fast_correlate(small, large, window, pool)) return std::move(*fast);
  const size_t size = window.weights();
  std::vector<float> sums(size * kChunks);
  for_chunks(pool, [&](int chunk) {
    float* own = sums.data() + size * static_cast<size_t>(chunk);
    for (int item = chunk_begin(small.n, chunk); item < chunk_begin(small.n, chunk + 1); ++item) {
      correlate_item(small, large, item, window, own);
    }
  });
  return sum_of_chunks(sums, size);
}

std::vector<float> channel_sums(const Maps& gradient, ThreadPool& pool) {
  const auto size = static_cast<size_t>(gradient.c);
  std::vector<float> sums(size * kChunks);
  for_chunks(pool, [&](int chunk) {
    float* own = sums.data() + size * static_cast<size_t>(chunk);
    const int first = chunk_begin(gradient.n, chunk);
    const int64_t places =
        (chunk_begin(gradient.n, chunk + 1) - first) * int64_t{gradient.h} * gradient.w;
    const float* in = gradient.values.data() + first * gradient.item_size();
    for (int64_t p = 0; p < places; ++p, in += size) {
      for (size_t c = 0; c < size; ++c) own[c] += in[c];
    }
  });
  return sum_of_chunks(sums, size);
}

ConvolutionGradients convolution_gradients(Maps& gradient, const Maps& input,
                                           std::span<const float> weights, const Window& window,
                                           Wanted wanted, ThreadPool& pool,
                                           const ItemHook& before) {
  if (auto fast = fast_gradients(gradient, input, weights, window, wanted, pool, before)) {
    return std::move(*fast);
  }
  if (before) {
    for_items(pool, gradient.n, [&](int first, int last) { before(gradient, first, last); });
  }
  ConvolutionGradients result;
  result.weights = correlate(gradient, input, window, pool);
  if (wanted.bias) result.bias = channel_sums(gradient, pool);
  if (wanted.input) {
    result.input = scatter(gradient, weights, {}, window, {input.h, input.w}, pool);
  }
  return result;
}

template Maps gather(const Maps&, std::span<const float>, std::span<const float>, const Window&,
                     ThreadPool&, const ItemHook&);
template IntMaps gather(const IntMaps&, std::span<const int32_t>, std::span<const int32_t>,
                        const Window&, ThreadPool&, const ItemHookOf<int32_t>&);
template Maps scatter(const Maps&, std::span<const float>, std::span<const float>, const Window&,
                      Pair, ThreadPool&, const ItemHook&);
template IntMaps scatter(const IntMaps&, std::span<const int32_t>, std::span<const int32_t>,
                         const Window&, Pair, ThreadPool&, const ItemHookOf<int32_t>&);

}  // namespace edgetwin::train
