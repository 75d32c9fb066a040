#include "train/engine/fast.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "train/engine/fast_pictures.h"

namespace edgetwin::train {
namespace {

std::atomic<bool> plain_only = false;

const TileFunctions* tiles_for(const Window& v) {
  const bool usual = v.groups == 1 && v.stride == Pair{} && v.dilation == Pair{} &&
                     v.pad.h < v.kernel.h && v.pad.w < v.kernel.w;
  return usual ? fast_tiles() : nullptr;
}

Maps run(const PictureRows& rows, const Maps& input, Pair size, int channels, ThreadPool& pool,
         const ItemHook& after) {
  Maps output = Maps::unset(input.n, size.h, size.w, channels);
  for_items(pool, input.n, [&](int first, int last) {
    Floats halo;
    for (int item = first; item < last; ++item) {
      rows.run(input, output, item, halo);
      if (after) after(output, item, item + 1);
    }
  });
  return output;
}

// Adds the gradient of one picture to the sums of its channels.
void add_channels(const Maps& gradient, int item, float* sums) {
  const float* in = gradient.at(item, 0, 0);
  const int64_t places = int64_t{gradient.h} * gradient.w;
  for (int64_t p = 0; p < places; ++p, in += gradient.c) {
    for (int c = 0; c < gradient.c; ++c) sums[c] += in[c];
  }
}

}  // namespace

const TileFunctions* fast_tiles() {
  static const TileFunctions* const found =
      tiles_avx512() != nullptr ? tiles_avx512() : tiles_avx2();
  return plain_only ? nullptr : found;
}

void use_plain_loops(bool plain) { plain_only = plain; }

std::optional<Maps> fast_gather(const Maps& large, std::span<const float> weights,
                                std::span<const float> bias, const Window& window, ThreadPool& pool,
                                const ItemHook& after) {
  const TileFunctions* tiles = tiles_for(window);
  if (tiles == nullptr) return std::nullopt;
  const Pair from{large.h, large.w}, to = window.small_of(from);
  const PictureRows rows(*tiles, gather_form(window), gather_weights(weights, window), bias, from,
                         to);
  return run(rows, large, to, window.first, pool, after);
}

std::optional<Maps> fast_scatter(const Maps& small, std::span<const float> weights,
                                 std::span<const float> bias, const Window& window, Pair size,
                                 ThreadPool& pool, const ItemHook& after) {
  const TileFunctions* tiles = tiles_for(window);
  const Pair from{small.h, small.w};
  if (tiles == nullptr || !(window.small_of(size) == from)) return std::nullopt;
  const PictureRows rows(*tiles, scatter_form(window), scatter_weights(weights, window), bias, from,
                         size);
  return run(rows, small, size, window.second, pool, after);
}

std::optional<std::vector<float>> fast_correlate(const Maps& small, const Maps& large,
                                                 const Window& window, ThreadPool& pool) {
  const TileFunctions* tiles = tiles_for(window);
  if (tiles == nullptr) return std::nullopt;
  const PictureSums form(*tiles, small, large, window);
  std::vector<float> chunks(form.size() * kChunks);
  for_chunks(pool, [&](int chunk) {
    PictureSums pictures = form;
    float* own = chunks.data() + form.size() * static_cast<size_t>(chunk);
    for (int item = chunk_begin(small.n, chunk); item < chunk_begin(small.n, chunk + 1); ++item) {
      pictures.add(item, own);
    }
  });
  return form.in_order(sum_of_chunks(chunks, form.size()));
}

std::optional<ConvolutionGradients> fast_gradients(Maps& gradient, const Maps& input,
                                                   std::span<const float> weights,
                                                   const Window& window, Wanted wanted,
                                                   ThreadPool& pool, const ItemHook& before) {
  const TileFunctions* tiles = tiles_for(window);
  if (tiles == nullptr) return std::nullopt;
  const Pair size{input.h, input.w};
  ConvolutionGradients result;
  const PictureSums form(*tiles, gradient, input, window);
  std::optional<PictureRows> rows;
  if (wanted.input) {
    result.input = Maps::unset(input.n, input.h, input.w, input.c);
    rows.emplace(*tiles, scatter_form(window), scatter_weights(weights, window),
                 std::span<const float>(), Pair{gradient.h, gradient.w}, size);
  }
  const auto channels = static_cast<size_t>(gradient.c);
  std::vector<float> chunks(form.size() * kChunks), bias(channels * kChunks);
  for_chunks(pool, [&](int chunk) {
    PictureSums pictures = form;
    Floats halo;
    const auto at = static_cast<size_t>(chunk);
    const int last = chunk_begin(gradient.n, chunk + 1);
    for (int item = chunk_begin(gradient.n, chunk); item < last; ++item) {
      if (before) before(gradient, item, item + 1);
      pictures.add(item, chunks.data() + form.size() * at);
      if (wanted.bias) add_channels(gradient, item, bias.data() + channels * at);
      if (rows) rows->run(gradient, result.input, item, halo);
    }
  });
  result.weights = form.in_order(sum_of_chunks(chunks, form.size()));
  if (wanted.bias) result.bias = sum_of_chunks(bias, channels);
  return result;
}

}  // namespace edgetwin::train
