#include "train/engine/fast.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "train/engine/tiles.h"

namespace edgetwin::train {
namespace {

constexpr int kGroup = 16;  // output channels that weights are padded to

std::atomic<bool> plain_only = false;

int padded(int channels) { return (channels + kGroup - 1) / kGroup * kGroup; }

const TileFunctions* tiles_for(const Window& v) {
  const bool usual = v.groups == 1 && v.stride == Pair{} && v.dilation == Pair{} &&
                     v.pad.h < v.kernel.h && v.pad.w < v.kernel.w;
  return usual ? fast_tiles() : nullptr;
}

// Zeros where the buffer is new. Copies of pictures of one size leave border and padding at zero.
void prepare(Floats& out, int64_t size) {
  if (out.size() != static_cast<size_t>(size)) out.assign(static_cast<size_t>(size), 0.0F);
}

// One picture with a border of zeros. `out` is empty, or from another picture of this size.
void copy_with_halo(const Maps& maps, int item, Pair halo, Floats& out) {
  const int64_t width = int64_t{maps.w + 2 * halo.w} * maps.c;
  prepare(out, (maps.h + 2 * halo.h) * width);
  for (int y = 0; y < maps.h; ++y) {
    const float* row = maps.at(item, y, 0);
    float* target = out.data() + (y + halo.h) * width + int64_t{halo.w} * maps.c;
    std::copy(row, row + int64_t{maps.w} * maps.c, target);
  }
}

// One picture by groups of channels, padded: (group, place, 16). `out` as above.
void copy_grouped(const Maps& maps, int item, Floats& out) {
  const int64_t places = int64_t{maps.h} * maps.w;
  prepare(out, places * padded(maps.c));
  const float* in = maps.at(item, 0, 0);
  float* to = out.data();
  for (int c = 0; c < maps.c; c += kGroup) {
    const int count = std::min(kGroup, maps.c - c);
    for (int64_t p = 0; p < places; ++p, to += kGroup) std::copy_n(in + p * maps.c + c, count, to);
  }
}

// What a correlation with stride 1 computes: input channels, output channels, halo.
struct Form {
  int in = 0, out = 0;
  Pair kernel, halo;
};

// Weights as (group of out, ky, kx, in, 16) from value(ky, kx, in, out).
template <class Value>
Floats packed(const Form& form, const Value& value) {
  Floats result(static_cast<size_t>(form.kernel.h * form.kernel.w * form.in * padded(form.out)));
  float* at = result.data();
  for (int first = 0; first < form.out; first += kGroup) {
    const int count = std::min(kGroup, form.out - first);
    for (int ky = 0; ky < form.kernel.h; ++ky) {
      for (int kx = 0; kx < form.kernel.w; ++kx) {
        for (int i = 0; i < form.in; ++i, at += kGroup) {
          for (int c = 0; c < count; ++c) at[c] = value(ky, kx, i, first + c);
        }
      }
    }
  }
  return result;
}

Maps run(const TileFunctions& tiles, const Maps& input, const Form& form, const Floats& weights,
         std::span<const float> bias, Pair size, ThreadPool& pool) {
  Floats start(static_cast<size_t>(padded(form.out)));
  std::copy(bias.begin(), bias.end(), start.begin());
  Maps output = Maps::unset(input.n, size.h, size.w, form.out);
  // Maps of one column lie in memory like maps of one row, whose tiles have more places.
  const bool column = input.w == 1 && form.kernel.w == 1 && form.halo.w == 0;
  for_items(pool, input.n, [&](int first, int last) {
    Floats halo;
    for (int item = first; item < last; ++item) {
      copy_with_halo(input, item, form.halo, halo);
      RowTask task{.in_row = int64_t{input.w + 2 * form.halo.w} * input.c,
                   .channels = input.c,
                   .weights = weights.data(),
                   .start = start.data(),
                   .width = column ? size.h : size.w,
                   .kernel_h = column ? 1 : form.kernel.h,
                   .kernel_w = column ? form.kernel.h : form.kernel.w,
                   .blocks = padded(form.out) / kGroup,
                   .out_channels = form.out};
      for (int y = 0; y < (column ? 1 : size.h); ++y) {
        task.in = halo.data() + y * task.in_row;
        task.out = output.at(item, y, 0);
        tiles.row(task);
      }
    }
  });
  return output;
}

// Adds the products of one picture to the sums of its chunk, a row of taps at a time.
void add_item(const TileFunctions& tiles, const Maps& small, const Maps& large, int item,
              const Window& v, Floats& halo, Floats& gradient, float* sums) {
  copy_with_halo(large, item, v.pad, halo);
  copy_grouped(small, item, gradient);
  const bool column = large.w == 1 && v.kernel.w == 1;  // a row, as above
  SumTask task{.in_row = int64_t{large.w + 2 * v.pad.w} * large.c,
               .step = large.c,
               .terms = (column ? v.kernel.h : v.kernel.w) * large.c,
               .gradient = gradient.data(),
               .blocks = padded(small.c) / kGroup,
               .width = column ? small.h : small.w,
               .height = column ? 1 : small.h};
  const int64_t each = int64_t{task.terms} * padded(small.c);
  for (int ky = 0; ky < (column ? 1 : v.kernel.h); ++ky, sums += each) {
    task.in = halo.data() + ky * task.in_row;
    task.sums = sums;
    tiles.sum(task);
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
                                std::span<const float> bias, const Window& window,
                                ThreadPool& pool) {
  const TileFunctions* tiles = tiles_for(window);
  if (tiles == nullptr) return std::nullopt;
  const Form form{window.second, window.first, window.kernel, window.pad};
  const Floats own = packed(
      form, [&](int ky, int kx, int i, int c) { return weights[window.index(c, i, ky, kx)]; });
  return run(*tiles, large, form, own, bias, window.small_of({large.h, large.w}), pool);
}

std::optional<Maps> fast_scatter(const Maps& small, std::span<const float> weights,
                                 std::span<const float> bias, const Window& window, Pair size,
                                 ThreadPool& pool) {
  const TileFunctions* tiles = tiles_for(window);
  if (tiles == nullptr || !(window.small_of(size) == Pair{small.h, small.w})) return std::nullopt;
  const Pair kernel = window.kernel;
  const Form form{window.first,
                  window.second,
                  kernel,
                  {kernel.h - 1 - window.pad.h, kernel.w - 1 - window.pad.w}};
  const Floats own = packed(form, [&](int ky, int kx, int i, int c) {
    return weights[window.index(i, c, kernel.h - 1 - ky, kernel.w - 1 - kx)];
  });
  return run(*tiles, small, form, own, bias, size, pool);
}

std::optional<std::vector<float>> fast_correlate(const Maps& small, const Maps& large,
                                                 const Window& window, ThreadPool& pool) {
  const TileFunctions* tiles = tiles_for(window);
  if (tiles == nullptr) return std::nullopt;
  const int stride = padded(small.c);
  const auto size = static_cast<size_t>(window.kernel.h * window.kernel.w * large.c) *
                    static_cast<size_t>(stride);
  std::vector<float> chunks(size * kChunks);
  for_chunks(pool, [&](int chunk) {
    Floats halo, gradient;
    float* own = chunks.data() + size * static_cast<size_t>(chunk);
    for (int item = chunk_begin(small.n, chunk); item < chunk_begin(small.n, chunk + 1); ++item) {
      add_item(*tiles, small, large, item, window, halo, gradient, own);
    }
  });
  const std::vector<float> sums = sum_of_chunks(chunks, size);
  std::vector<float> result(window.weights());
  size_t at = 0;
  for (int ky = 0; ky < window.kernel.h; ++ky) {
    for (int kx = 0; kx < window.kernel.w; ++kx) {
      for (int i = 0; i < large.c; ++i, at += static_cast<size_t>(stride)) {
        for (int c = 0; c < small.c; ++c) {
          result[window.index(c, i, ky, kx)] = sums[at + static_cast<size_t>(c)];
        }
      }
    }
  }
  return result;
}

}  // namespace edgetwin::train
