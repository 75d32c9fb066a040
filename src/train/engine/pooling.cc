#include "train/engine/pooling.h"

#include "train/engine/fast.h"

namespace edgetwin::train {
namespace {

// Calls start(item) and body(item, y, x) for each output place of the items.
template <class Start, class Body>
void for_places(const Maps& output, int first, int last, const Start& start, const Body& body) {
  for (int item = first; item < last; ++item) {
    start(item);
    for (int y = 0; y < output.h; ++y) {
      for (int x = 0; x < output.w; ++x) body(item, y, x);
    }
  }
}

template <class Body>
void for_places(const Maps& output, ThreadPool& pool, const Body& body) {
  for_items(pool, output.n, [&](int first, int last) {
    for_places(
        output, first, last, [](int /*item*/) {}, body);
  });
}

// Calls body(row, column) for each place of the input below an output place, row-major.
template <class Body>
void for_taps(const PoolWindow& v, int y, int x, const Body& body) {
  for (int ky = 0; ky < v.size.h; ++ky) {
    for (int kx = 0; kx < v.size.w; ++kx) {
      body(y * v.stride.h + ky * v.dilation.h, x * v.stride.w + kx * v.dilation.w);
    }
  }
}

// Not set yet.
Maps pooled(const Maps& input, const PoolWindow& window) {
  const Pair size = window.output_of({input.h, input.w});
  return Maps::unset(input.n, size.h, size.w, input.c);
}

void clear_item(Maps& maps, int item) { std::fill_n(maps.at(item, 0, 0), maps.item_size(), 0.0F); }

// Each place of a map of size `in` is below one place of `out`.
bool covers_once(const PoolWindow& v, Pair out, Pair in) {
  return v.stride == v.size && v.dilation == Pair{} && out.h * v.size.h == in.h &&
         out.w * v.size.w == in.w;
}

}  // namespace

Pair PoolWindow::output_of(Pair input) const {
  Window same;
  same.kernel = size;
  same.stride = stride;
  same.dilation = dilation;
  return same.small_of(input);
}

Maps max_pool(const Maps& input, const PoolWindow& window, ThreadPool& pool) {
  Maps output = pooled(input, window);
  for_places(output, pool, [&](int item, int y, int x) {
    float* out = output.at(item, y, x);
    const float* start = input.at(item, y * window.stride.h, x * window.stride.w);
    std::copy(start, start + input.c, out);
    for_taps(window, y, x, [&](int row, int column) {
      const float* in = input.at(item, row, column);
      for (int c = 0; c < input.c; ++c) out[c] = std::max(out[c], in[c]);
    });
  });
  return output;
}

Maps max_pool_gradient(const Maps& input, const Maps& gradient, const PoolWindow& window,
                       ThreadPool& pool) {
  Maps result = Maps::unset(input.n, input.h, input.w, input.c);
  const TileFunctions* tiles = fast_tiles();
  const auto taps = static_cast<size_t>(window.size.h * window.size.w);
  const bool once = covers_once(window, {gradient.h, gradient.w}, {input.h, input.w});
  for_items(pool, gradient.n, [&](int first, int last) {
    std::vector<const float*> in(taps);
    std::vector<float*> out(taps);
    const auto clear = [&](int item) {
      if (!once) clear_item(result, item);
    };
    for_places(gradient, first, last, clear, [&](int item, int y, int x) {
      size_t tap = 0;
      for_taps(window, y, x, [&](int row, int column) {
        in[tap] = input.at(item, row, column);
        out[tap++] = result.at(item, row, column);
      });
      const PickTask task{in.data(), out.data(), static_cast<int>(taps), gradient.at(item, y, x),
                          input.c,   once};
      if (tiles != nullptr) {
        tiles->pick(task);
      } else {
        for (int c = 0; c < input.c; ++c) pick_channel(task, c);
      }
    });
  });
  return result;
}

Maps average_pool(const Maps& input, const PoolWindow& window, ThreadPool& pool) {
  Maps output = pooled(input, window);
  const auto count = static_cast<float>(window.size.h * window.size.w);
  for_places(output, pool, [&](int item, int y, int x) {
    float* out = output.at(item, y, x);
    std::fill_n(out, input.c, 0.0F);
    for_taps(window, y, x, [&](int row, int column) {
      const float* in = input.at(item, row, column);
      for (int c = 0; c < input.c; ++c) out[c] += in[c];
    });
    for (int c = 0; c < input.c; ++c) out[c] /= count;
  });
  return output;
}

Maps average_pool_gradient(const Maps& gradient, const PoolWindow& window, Pair size,
                           ThreadPool& pool) {
  Maps result = Maps::unset(gradient.n, size.h, size.w, gradient.c);
  const auto count = static_cast<float>(window.size.h * window.size.w);
  for_items(pool, gradient.n, [&](int first, int last) {
    const auto clear = [&](int item) { clear_item(result, item); };
    for_places(gradient, first, last, clear, [&](int item, int y, int x) {
      const float* g = gradient.at(item, y, x);
      for_taps(window, y, x, [&](int row, int column) {
        float* out = result.at(item, row, column);
        for (int c = 0; c < gradient.c; ++c) out[c] += g[c] / count;
      });
    });
  });
  return result;
}

}  // namespace edgetwin::train
