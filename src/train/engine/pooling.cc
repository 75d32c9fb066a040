#include "train/engine/pooling.h"

namespace edgetwin::train {
namespace {

// Calls body(item, y, x) for each output place.
template <class Body>
void for_places(const Maps& output, ThreadPool& pool, const Body& body) {
  for_items(pool, output.n, [&](int first, int last) {
    for (int item = first; item < last; ++item) {
      for (int y = 0; y < output.h; ++y) {
        for (int x = 0; x < output.w; ++x) body(item, y, x);
      }
    }
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

Maps pooled(const Maps& input, const PoolWindow& window) {
  const Pair size = window.output_of({input.h, input.w});
  return {input.n, size.h, size.w, input.c};
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
  Maps result(input.n, input.h, input.w, input.c);
  const auto channels = static_cast<size_t>(input.c);
  for_items(pool, gradient.n, [&](int first, int last) {
    std::vector<float> best(channels);
    std::vector<int32_t> at(channels);  // the tap of the best value
    for (int item = first; item < last; ++item) {
      for (int y = 0; y < gradient.h; ++y) {
        for (int x = 0; x < gradient.w; ++x) {
          const float* start = input.at(item, y * window.stride.h, x * window.stride.w);
          std::copy(start, start + channels, best.begin());
          std::fill(at.begin(), at.end(), 0);
          int32_t tap = 0;
          for_taps(window, y, x, [&](int row, int column) {
            const float* in = input.at(item, row, column);
            for (size_t c = 0; c < channels; ++c) {
              const bool better = in[c] > best[c];
              best[c] = better ? in[c] : best[c];
              at[c] = better ? tap : at[c];
            }
            ++tap;
          });
          const float* g = gradient.at(item, y, x);
          tap = 0;
          for_taps(window, y, x, [&](int row, int column) {
            float* out = result.at(item, row, column);
            for (size_t c = 0; c < channels; ++c) out[c] += at[c] == tap ? g[c] : 0.0F;
            ++tap;
          });
        }
      }
    }
  });
  return result;
}

Maps average_pool(const Maps& input, const PoolWindow& window, ThreadPool& pool) {
  Maps output = pooled(input, window);
  const auto count = static_cast<float>(window.size.h * window.size.w);
  for_places(output, pool, [&](int item, int y, int x) {
    float* out = output.at(item, y, x);
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
  Maps result(gradient.n, size.h, size.w, gradient.c);
  const auto count = static_cast<float>(window.size.h * window.size.w);
  for_places(gradient, pool, [&](int item, int y, int x) {
    const float* g = gradient.at(item, y, x);
    for_taps(window, y, x, [&](int row, int column) {
      float* out = result.at(item, row, column);
      for (int c = 0; c < gradient.c; ++c) out[c] += g[c] / count;
    });
  });
  return result;
}

}  // namespace edgetwin::train
