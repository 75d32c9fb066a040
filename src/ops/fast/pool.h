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

// One output pixel from the pixels in `space`.
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
        const auto channels = static_cast<size_t>(g.out_c);
        PoolSpace space{{}, std::vector<uint8_t>(channels), std::vector<int32_t>(channels)};
        for (int64_t row = begin; row < end; ++row) {
          const uint8_t* in = args.input<uint8_t>(0) + row / g.out_h * g.in_h * g.in_w * g.in_c;
          T* y = args.output<T>(0) + row * g.out_w * g.out_c;
          for (int ox = 0; ox < g.out_w; ++ox, y += g.out_c) {
            window_pixels(g, in, static_cast<int>(row % g.out_h), ox, space.pixels);
            pool_pixel(*table, rule, kind, space, g.out_c, y);
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
