// Where a fast kernel may stand in for the walks of pools and means over bytes: rules whose sums
// are those of the elements and of one constant for each.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/elements/pool.h"
#include "numerics/rules.h"
#include "ops/core/common.h"
#include "ops/core/kernel.h"
#include "ops/fast/wanted_isa.h"
#include "tensor/window.h"

namespace edgetwin::ops {

// What one thread needs for its windows.
struct PoolSpace {
  std::vector<const uint8_t*> pixels;
  std::vector<uint8_t> largest;
  std::vector<int32_t> sums;

  void reserve(size_t channels) {
    if (largest.size() >= channels) return;
    largest.resize(channels);
    sums.resize(channels);
  }
};

// The pixels of a window that are inside the picture `in`.
inline void window_pixels(const Window2D& g, const uint8_t* in, int oy, int ox,
                          std::vector<const uint8_t*>& pixels) {
  pixels.clear();
  for (int ky = 0; ky < g.kernel_h; ++ky) {
    const int iy = g.row(oy, ky);
    if (iy < 0 || iy >= g.in_h) continue;
    for (int kx = 0; kx < g.kernel_w; ++kx) {
      const int ix = g.column(ox, kx);
      if (ix < 0 || ix >= g.in_w) continue;
      pixels.push_back(in + (int64_t{iy} * g.in_w + ix) * g.in_c);
    }
  }
}

// Output columns of a row that are computed at once: `count` of them from `first` on.
struct PoolStretch {
  int first = 0, count = 1;
};

// Without strides the windows of neighbouring columns lie side by side, where all of them are
// inside the picture: together they are one window with more channels.
inline PoolStretch pool_stretch(const Window2D& g, int ox) {
  constexpr int kMostChannels = 4096;  // what is on the way stays in the first cache
  const int first = g.pad_left, end = g.in_w + g.pad_left - (g.kernel_w - 1) * g.dilation_w;
  if (g.stride_w != 1 || ox < first || ox >= end) return {ox, 1};
  const int most = std::max(1, kMostChannels / std::max(1, g.out_c));
  return {ox, std::min({end - ox, g.out_w - ox, most})};
}

// Channels from the pixels in `space`, of one output pixel or of a stretch.
template <class R>
void pool_pixel(const kernels::PoolTable& table, const R& rule, numerics::PoolKind kind,
                PoolSpace& space, std::ptrdiff_t channels, typename R::Element* y) {
  using T = typename R::Element;
  const kernels::PoolTaps taps{.pixels = space.pixels.data(),
                               .count = static_cast<std::ptrdiff_t>(space.pixels.size()),
                               .channels = channels,
                               .is_signed = std::is_signed_v<T>};
  const auto count = static_cast<int>(taps.count);
  if (kind == numerics::PoolKind::max) {
    table.largest(taps, space.largest.data());
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
      const T most = static_cast<T>(space.largest[static_cast<size_t>(c)]);
      y[c] = rule.finish(rule.take(rule.start(), most), count);
    }
    return;
  }
  table.sums(taps, space.sums.data());
  const int32_t of_each = rule.take(0, T{0}) * count;
  for (std::ptrdiff_t c = 0; c < channels; ++c) {
    y[c] = rule.finish(space.sums[static_cast<size_t>(c)] + of_each, count);
  }
}

// Fills run and path of `prepared` and returns true if a kernel takes the operator.
template <class R>
bool make_fast_pool(const KernelOptions& options, const Window2D& g, numerics::PoolKind kind,
                    const R& rule, Prepared& prepared) {
  using T = typename R::Element;
  if constexpr (sizeof(T) != 1) {
    return false;
  } else {
    constexpr int64_t kMostTaps = 1 << 16;  // sums stay below 2^24
    const kernels::Isa isa = wanted_isa(options);
    const kernels::PoolTable* table = kernels::pool_table(isa);
    if (table == nullptr || int64_t{g.kernel_h} * g.kernel_w > kMostTaps) return false;
    prepared.path = std::string(kernels::name(isa));
    const int64_t grain = grain_for(int64_t{g.out_w} * g.out_c * g.kernel_h * g.kernel_w / 16);
    prepared.run = [g, kind, rule, table, grain](const Args& args) -> Status {
      const auto part = [&](int64_t begin, int64_t end, int) {
        PoolSpace space;
        for (int64_t row = begin; row < end; ++row) {
          const uint8_t* in = args.input<uint8_t>(0) + row / g.out_h * g.in_h * g.in_w * g.in_c;
          T* y = args.output<T>(0) + row * g.out_w * g.out_c;
          for (int ox = 0; ox < g.out_w;) {
            const PoolStretch stretch = pool_stretch(g, ox);
            const std::ptrdiff_t channels = std::ptrdiff_t{stretch.count} * g.out_c;
            space.reserve(static_cast<size_t>(channels));
            window_pixels(g, in, static_cast<int>(row % g.out_h), ox, space.pixels);
            pool_pixel(*table, rule, kind, space, channels, y);
            ox += stretch.count;
            y += channels;
          }
        }
      };
      args.pool.parallel_for(int64_t{g.batch} * g.out_h, grain, part);
      return Ok{};
    };
    return true;
  }
}

}  // namespace edgetwin::ops
