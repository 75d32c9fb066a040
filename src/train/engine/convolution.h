// Convolutions and their gradients as three walks, plain loops that define each bit. Every result
// is one chain of fused multiply-adds in a fixed order. Specification: training, 2, 3, 17.
//
// Weights lie as checkpoints store them, (first, second / groups, row, column): first counts the
// channels of the small map, second those of the large one. The places belong together by
//   large = small * stride - pad + tap * dilation.
// Of an ordinary convolution the input is the large map, of a transposed one the small map. So
//
//   ordinary     output = gather(input)     gradient of the input = scatter(gradient of the output)
//   transposed   output = scatter(input)    gradient of the input = gather(gradient of the output)
//
// and the gradient of the weights is correlate(small, large) of both.
#pragma once

#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "train/engine/maps.h"

namespace edgetwin::train {

struct Pair {
  int h = 1, w = 1;
  bool operator==(const Pair&) const = default;
};

// Where the taps of a kernel lie, and between which maps.
struct Window {
  Pair kernel, stride, pad{0, 0}, dilation;
  int groups = 1;
  int first = 0, second = 0;  // channels of the small and of the large map

  size_t weights() const {
    return static_cast<size_t>(first) * static_cast<size_t>(second / groups * kernel.h * kernel.w);
  }
  // Index of the weight between channel `f` of the small map and the `s`-th of its group.
  size_t index(int f, int s, int ky, int kx) const {
    const int64_t row = int64_t{f} * (second / groups) + s;
    return static_cast<size_t>((row * kernel.h + ky) * kernel.w + kx);
  }
  // Size of the small map below a large one: the output of an ordinary convolution.
  Pair small_of(Pair large) const;
};

// Called with maps and items `first` to `last` of them, on any thread: work on each picture that is
// done while it is in the processor's caches.
template <class T>
using ItemHookOf = std::function<void(MapsOf<T>& maps, int first, int last)>;
using ItemHook = ItemHookOf<float>;

// The small map; `after`, if given, gets each picture as soon as it is there. `bias` is empty or
// has an entry per channel; the chain begins with it, then row of the kernel, column, channel.
template <class T>
MapsOf<T> gather(const MapsOf<T>& large, std::span<const std::type_identity_t<T>> weights,
                 std::span<const std::type_identity_t<T>> bias, const Window& window,
                 ThreadPool& pool, const ItemHookOf<T>& after = {});

// The large map of the given size. The chain begins with the bias, then row of the kernel from the
// last to the first, column likewise, channel: the order of the turned kernel.
template <class T>
MapsOf<T> scatter(const MapsOf<T>& small, std::span<const std::type_identity_t<T>> weights,
                  std::span<const std::type_identity_t<T>> bias, const Window& window, Pair size,
                  ThreadPool& pool, const ItemHookOf<T>& after = {});

// The gradient of the weights: for each a chain over the pictures of a chunk and the places of the
// small map in row-major order, then the chunks.
std::vector<float> correlate(const Maps& small, const Maps& large, const Window& window,
                             ThreadPool& pool);

// The gradient of a bias: sums of each channel in the same order.
std::vector<float> channel_sums(const Maps& gradient, ThreadPool& pool);

// All gradients of an ordinary convolution in one pass over the pictures: as correlate,
// channel_sums and scatter give them. `before`, if given, changes each picture of `gradient` first.
struct Wanted {
  bool bias = false, input = false;
};
struct ConvolutionGradients {
  std::vector<float> weights, bias;
  Maps input;
};
ConvolutionGradients convolution_gradients(Maps& gradient, const Maps& input,
                                           std::span<const float> weights, const Window& window,
                                           Wanted wanted, ThreadPool& pool, const ItemHook& before);

}  // namespace edgetwin::train
