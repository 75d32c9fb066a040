#include <algorithm>
#include <cstring>

#include "kernels/floats/sums.h"

namespace edgetwin::kernels {
namespace {

int64_t positions(const Window2D& g) { return int64_t{g.out_h} * g.out_w; }
int64_t round_up(int64_t v, int64_t to) { return (v + to - 1) / to * to; }

// Output columns [begin, end) whose tap kx lies inside the picture.
struct Range {
  int begin, end;
};

Range inside_columns(const Window2D& g, int kx, int from, int to) {
  const int shift = kx * g.dilation_w - g.pad_left;
  int begin = from;
  int end = to;
  // ox * stride + shift in [0, in_w)
  if (shift < 0) begin = std::max(begin, (-shift + g.stride_w - 1) / g.stride_w);
  const int64_t room = int64_t{g.in_w} - shift;
  const int64_t last = room <= 0 ? 0 : (room + g.stride_w - 1) / g.stride_w;
  end = static_cast<int>(std::min<int64_t>(end, last));
  return {std::min(begin, to), std::max(std::min(begin, to), end)};
}

// The taps (ky, kx) of one channel for output pixels [from, to) of row oy.
void pack_run(const Window2D& g, const float* x, int ky, int kx, int oy, int from, int to,
              float* out) {
  const int iy = g.row(oy, ky);
  if (iy < 0 || iy >= g.in_h) {
    std::fill(out, out + (to - from), 0.0F);
    return;
  }
  const Range r = inside_columns(g, kx, from, to);
  std::fill(out, out + (r.begin - from), 0.0F);
  const float* row = x + int64_t{iy} * g.in_w + (kx * g.dilation_w - g.pad_left);
  float* at = out + (r.begin - from);
  if (g.stride_w == 1) {
    std::copy(row + r.begin, row + r.end, at);
  } else {
    for (int ox = r.begin; ox < r.end; ++ox) *at++ = row[int64_t{ox} * g.stride_w];
  }
  std::fill(out + (r.end - from), out + (to - from), 0.0F);
}

bool is_pointwise(const Window2D& g) {
  return g.kernel_h == 1 && g.kernel_w == 1 && g.stride_h == 1 && g.stride_w == 1 &&
         g.pad_top == 0 && g.pad_left == 0 && g.out_h == g.in_h && g.out_w == g.in_w;
}

}  // namespace

FloatConv::FloatConv(const Window2D& window, int groups, Isa isa)
    : g_(window), groups_(groups), table_(float_table(isa)) {
  depthwise_ = groups_ == g_.in_c && groups_ > 1;
  plane_rows_ = int64_t{g_.out_h - 1} * g_.stride_h + int64_t{g_.kernel_h - 1} * g_.dilation_h + 1;
  const int64_t last_tap = int64_t{g_.kernel_w - 1} * g_.dilation_w;
  phase_columns_ = g_.out_w + last_tap / g_.stride_w + 1;
}

int64_t FloatConv::thread_floats() const {
  if (!depthwise_) return float_scratch(table_);
  return round_up(plane_rows_ * g_.stride_w * phase_columns_ + 2 * table_.width, 16);
}

size_t FloatConv::scratch_bytes(int threads) const {
  return static_cast<size_t>(thread_floats() * threads) * sizeof(float);
}

void FloatConv::pack(const float* x, int64_t k_begin, int64_t k_end, int64_t column,
                     float* to) const {
  const int64_t plane_size = int64_t{g_.in_h} * g_.in_w;
  const int64_t valid = std::min<int64_t>(table_.width, positions(g_) - column);
  const int taps = g_.kernel_h * g_.kernel_w;
  for (int64_t k = k_begin; k < k_end; ++k, to += table_.width) {
    const float* channel = x + k / taps * plane_size;
    if (is_pointwise(g_)) {
      std::copy(channel + column, channel + column + valid, to);
    } else {
      const int tap = static_cast<int>(k % taps);
      for (int64_t done = 0; done < valid;) {
        const auto oy = static_cast<int>((column + done) / g_.out_w);
        const auto ox = static_cast<int>((column + done) % g_.out_w);
        const auto end = static_cast<int>(std::min<int64_t>(g_.out_w, ox + valid - done));
        pack_run(g_, channel, tap / g_.kernel_w, tap % g_.kernel_w, oy, ox, end, to + done);
        done += end - ox;
      }
    }
    std::fill(to + valid, to + table_.width, 0.0F);
  }
}

void FloatConv::run_dense(const float* x, const float* weights, const float* bias, float* y,
                          float* scratch, ThreadPool& pool) const {
  const int64_t rows = g_.out_c / groups_;
  const int64_t channels = g_.in_c / groups_;
  const int64_t n = positions(g_);
  const int64_t step = kFloatPanels * table_.width;
  const int64_t column_units = (n + step - 1) / step;
  // Small pictures give few columns: then rows are shared out as well.
  const int64_t row_step = column_units >= 8 ? rows : std::min<int64_t>(rows, 16L * table_.rows);
  const int64_t row_units = (rows + row_step - 1) / row_step;
  const int64_t units = int64_t{g_.batch} * groups_ * column_units * row_units;
  const int64_t depth = channels * g_.kernel_h * g_.kernel_w;
  const int64_t work = std::max<int64_t>(1, row_step * depth * std::min(n, step) / 32);
  pool.parallel_for(units, std::max<int64_t>(1, 20000 / work),
                    [&](int64_t begin, int64_t end, int worker) {
                      float* own = scratch + worker * thread_floats();
                      for (int64_t unit = begin; unit < end; ++unit) {
                        const int64_t row = unit % row_units * row_step;
                        const int64_t column = unit / row_units % column_units * step;
                        const int64_t slice = unit / row_units / column_units;  // picture and group
                        const float* picture = x + slice * channels * g_.in_h * g_.in_w;
                        const int64_t group = slice % groups_;
                        FloatProduct p;
                        p.m = rows;
                        p.n = n;
                        p.k = depth;
                        p.a = weights + group * rows * depth;
                        p.a_row = depth;
                        p.row_start = bias == nullptr ? nullptr : bias + group * rows;
                        p.c = y + slice * rows * n;
                        p.c_row = n;
                        float_product(table_, p, row, std::min(rows, row + row_step), column,
                                      std::min(n, column + step), own,
                                      [&](int64_t k_begin, int64_t k_end, int64_t at, float* to) {
                                        pack(picture, k_begin, k_end, at, to);
                                      });
                      }
                    });
}

// Row r, column c of the padded plane is at [r][c % stride][c / stride].
void FloatConv::plane(const float* x, float* phases) const {
  const int64_t row_floats = g_.stride_w * phase_columns_;
  std::fill(phases, phases + plane_rows_ * row_floats, 0.0F);
  for (int64_t r = 0; r < plane_rows_; ++r) {
    const int64_t iy = r - g_.pad_top;
    if (iy < 0 || iy >= g_.in_h) continue;
    const float* from = x + iy * g_.in_w;
    float* to = phases + r * row_floats;
    const int64_t columns = std::min<int64_t>(g_.in_w, row_floats - g_.pad_left);
    if (g_.stride_w == 1) {
      if (columns > 0) std::copy(from, from + columns, to + g_.pad_left);
      continue;
    }
    for (int64_t phase = 0; phase < g_.stride_w; ++phase) {
      // Columns of the padded row that are phase modulo stride, from the picture's first one on.
      const int64_t skipped = (g_.pad_left - phase + g_.stride_w - 1) / g_.stride_w;
      float* at = to + phase * phase_columns_ + std::max<int64_t>(0, skipped);
      int64_t i = std::max<int64_t>(0, skipped) * g_.stride_w + phase - g_.pad_left;
      for (; i < columns; i += g_.stride_w) *at++ = from[i];
    }
  }
}

void FloatConv::run_depthwise(const float* x, const float* weights, const float* bias, float* y,
                              float* scratch, ThreadPool& pool) const {
  const int multiplier = g_.out_c / g_.in_c;
  const int taps = g_.kernel_h * g_.kernel_w;
  const int64_t row_floats = g_.stride_w * phase_columns_;
  const int64_t work = std::max<int64_t>(1, positions(g_) * taps * multiplier / 8);
  pool.parallel_for(int64_t{g_.batch} * g_.in_c, std::max<int64_t>(1, 20000 / work),
                    [&](int64_t begin, int64_t end, int worker) {
                      float* own = scratch + worker * thread_floats();
                      std::vector<const float*> at(static_cast<size_t>(taps));
                      for (int64_t unit = begin; unit < end; ++unit) {
                        plane(x + unit * g_.in_h * g_.in_w, own);
                        for (int64_t o = unit * multiplier; o < (unit + 1) * multiplier; ++o) {
                          const int64_t channel = o % g_.out_c;
                          FloatTaps t;
                          t.weights = weights + channel * taps;
                          t.tap_count = taps;
                          t.start = bias == nullptr ? 0.0F : bias[channel];
                          t.count = g_.out_w;
                          for (int oy = 0; oy < g_.out_h; ++oy) {
                            for (int tap = 0; tap < taps; ++tap) {
                              const int64_t r = int64_t{oy} * g_.stride_h +
                                                int64_t{tap / g_.kernel_w} * g_.dilation_h;
                              const int64_t c = int64_t{tap % g_.kernel_w} * g_.dilation_w;
                              at[static_cast<size_t>(tap)] = own + r * row_floats +
                                                             c % g_.stride_w * phase_columns_ +
                                                             c / g_.stride_w;
                            }
                            t.taps = at.data();
                            t.out = y + (o * g_.out_h + oy) * g_.out_w;
                            table_.taps(t);
                          }
                        }
                      }
                    });
}

void FloatConv::run(const float* x, const float* weights, const float* bias, float* y,
                    std::byte* scratch, ThreadPool& pool) const {
  auto* floats = reinterpret_cast<float*>(scratch);
  if (depthwise_) {
    run_depthwise(x, weights, bias, y, floats, pool);
  } else {
    run_dense(x, weights, bias, y, floats, pool);
  }
}

}  // namespace edgetwin::kernels
