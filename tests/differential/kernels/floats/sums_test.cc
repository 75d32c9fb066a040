// Float convolutions and products on every instruction set against their definition, bit for bit,
// over awkward shapes and for one and three threads.
#include <gtest/gtest.h>

#include <cmath>

#include "base/bytes.h"
#include "base/rng.h"
#include "kernels/floats/sums.h"

namespace edgetwin::kernels {
namespace {

std::vector<float> random_floats(XorShift32& random, int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (float& v : values) v = static_cast<float>(random.byte()) / 64.0F - 2.0F;
  return values;
}

// The definition, with taps in the order channel, row, column.
std::vector<float> defined(const Window2D& g, int groups, const std::vector<float>& x,
                           const std::vector<float>& w, const std::vector<float>& bias) {
  std::vector<float> y;
  const int channels = g.in_c / groups;
  const int rows = g.out_c / groups;
  for (int n = 0; n < g.batch; ++n) {
    for (int o = 0; o < g.out_c; ++o) {
      for (int oy = 0; oy < g.out_h; ++oy) {
        for (int ox = 0; ox < g.out_w; ++ox) {
          float sum = bias[static_cast<size_t>(o)];
          for (int c = 0; c < channels; ++c) {
            for (int t = 0; t < g.kernel_h * g.kernel_w; ++t) {
              const int iy = g.row(oy, t / g.kernel_w);
              const int ix = g.column(ox, t % g.kernel_w);
              const int from = n * g.in_c + o / rows * channels + c;
              const auto at = static_cast<size_t>((from * g.in_h + iy) * g.in_w + ix);
              const float v = g.inside(iy, ix) ? x[at] : 0.0F;
              const auto k = static_cast<size_t>((o * channels + c) * g.kernel_h * g.kernel_w + t);
              sum = std::fma(w[k], v, sum);
            }
          }
          y.push_back(sum);
        }
      }
    }
  }
  return y;
}

struct Layer {
  int batch, in_c, h, w, out_c, groups, kernel, stride, dilation, pad;
};

constexpr Layer kLayers[] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 0},    {1, 3, 7, 9, 5, 1, 3, 1, 1, 1},
                             {2, 4, 6, 5, 13, 1, 1, 1, 1, 0},   {1, 33, 5, 5, 25, 1, 3, 2, 1, 1},
                             {1, 8, 9, 11, 8, 8, 3, 1, 1, 1},   {2, 5, 9, 40, 10, 5, 5, 2, 1, 2},
                             {1, 6, 12, 7, 9, 3, 3, 1, 2, 2},   {1, 290, 3, 3, 7, 1, 1, 1, 1, 0},
                             {1, 4, 10, 10, 4, 4, 3, 3, 2, 4},  {1, 2, 13, 13, 31, 1, 5, 3, 1, 0},
                             {1, 16, 20, 33, 40, 1, 1, 2, 1, 0}};

Window2D window_of(const Layer& l) {
  Window2D g;
  g.batch = l.batch;
  g.in_c = l.in_c;
  g.in_h = l.h;
  g.in_w = l.w;
  g.out_c = l.out_c;
  g.kernel_h = g.kernel_w = l.kernel;
  g.stride_h = g.stride_w = l.stride;
  g.dilation_h = g.dilation_w = l.dilation;
  g.pad_top = g.pad_left = l.pad;
  const int reach = (l.kernel - 1) * l.dilation + 1;
  g.out_h = (l.h + 2 * l.pad - reach) / l.stride + 1;
  g.out_w = (l.w + 2 * l.pad - reach) / l.stride + 1;
  return g;
}

TEST(FloatConv, EqualsItsDefinition) {
  XorShift32 random(3);
  for (const Layer& l : kLayers) {
    const Window2D g = window_of(l);
    const auto x = random_floats(random, int64_t{l.batch} * l.in_c * l.h * l.w);
    const auto w =
        random_floats(random, int64_t{l.out_c} * l.in_c / l.groups * l.kernel * l.kernel);
    const auto bias = random_floats(random, l.out_c);
    const auto wanted = defined(g, l.groups, x, w, bias);
    for (const Isa isa : available_isas()) {
      for (const int threads : {1, 3}) {
        ThreadPool pool(threads);
        const FloatConv conv(g, l.groups, isa);
        Bytes scratch(conv.scratch_bytes(threads));
        std::vector<float> y(wanted.size() + 1, 7.0F);
        conv.run(x.data(), w.data(), bias.data(), y.data(), scratch.data(), pool);
        EXPECT_EQ(y.back(), 7.0F);
        y.pop_back();
        EXPECT_EQ(y, wanted) << name(isa) << " in " << l.in_c << "x" << l.h << "x" << l.w;
      }
    }
  }
}

TEST(FloatProduct, PackedEqualsItsDefinition) {
  XorShift32 random(5);
  for (const int64_t m : {1, 2, 13}) {
    for (const int64_t n : {1, 31, 32, 70}) {
      for (const int64_t k : {1, 7, 300}) {
        const auto a = random_floats(random, m * k);
        const auto b = random_floats(random, n * k);
        const auto start = random_floats(random, n);
        std::vector<float> wanted;
        for (int64_t r = 0; r < m; ++r) {
          for (int64_t c = 0; c < n; ++c) {
            float sum = start[static_cast<size_t>(c)];
            for (int64_t i = 0; i < k; ++i) {
              sum = std::fma(a[static_cast<size_t>(r * k + i)], b[static_cast<size_t>(c * k + i)],
                             sum);
            }
            wanted.push_back(sum);
          }
        }
        for (const Isa isa : available_isas()) {
          const FloatTable& table = float_table(isa);
          const auto packed = pack_transposed(table, b.data(), n, k);
          std::vector<float> y(wanted.size());
          FloatProduct p;
          p.m = m;
          p.n = n;
          p.k = k;
          p.a = a.data();
          p.a_row = k;
          p.column_start = start.data();
          p.c = y.data();
          p.c_row = n;
          float_product_packed(table, p, packed.data(), 0, n);
          EXPECT_EQ(y, wanted) << name(isa) << " " << m << "x" << k << "x" << n;
        }
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::kernels
