#include "targets/max78/analysis/cycles.h"

#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

int64_t cells(Size2 s) { return int64_t{s.h} * s.w; }

int64_t kernels_of(const LayerPlan& l) {
  return l.kern_count / (l.in_expand * (l.flatten ? cells(l.hw_pooled) : 1));
}

// Cycles of a padding and of a data pixel, and how often a row repeats them.
struct Pixel {
  int64_t padding, data, times;
};

Pixel pixel_of(const LayerShape& l) {
  const int64_t p = l.passes, n = l.operands;
  if (l.pool_first) return {2 * p * n, p * n * (l.pool + 1), 1};
  return {2 * p, p * (n * l.pool + 1), p};
}

}  // namespace

LayerShape layer_shape(const Plan& plan, const LayerPlan& l) {
  LayerShape s;
  s.passthrough = l.passthrough();
  s.passes = l.in_expand;
  if (s.passthrough && l.pools() && l.out_expand > 1) s.passes = 2 * s.passes - 1;
  const int64_t twice = l.hw_op == Operator::conv_transpose2d ? 2 : 1;
  s.rows = l.hw_pooled.h * twice;
  s.columns = l.hw_pooled.w * twice;
  s.out_columns = l.out_dim.w;
  if (l.hw_op == Operator::conv2d && l.op == Operator::conv1d) s.out_columns = s.columns;
  if (l.flatten) s.out_columns = s.columns;
  s.pool = cells(l.pool);
  s.kh = l.hw_kernel.h;
  s.kw = l.hw_kernel.w;
  s.ph = l.hw_pad.h;
  s.pw = l.hw_pad.w;
  s.operands = l.operands;
  s.first_column = l.kern_offs;
  s.pool_first = l.yaml->pool_first;
  s.flatten = l.flatten && l.in_expand * cells(l.hw_pooled) > 16;
  if (s.passthrough) {
    s.time_slots = static_cast<int64_t>(LayerRegs(plan, l).one_dimension() & 15U) + 1;
  } else {
    s.kernels = kernels_of(l);
  }
  return s;
}

int64_t cycles_before(const LayerShape& l) {
  if (l.passthrough || l.pool_first || (l.passes == 1 && l.operands == 1)) return 0;
  return ((l.rows + 2 * l.ph - l.kw + 1) * l.pw + (l.columns + 2 * l.pw - l.kh + 1) * l.ph -
          l.ph * l.pw) *
         l.first_column;
}

int64_t layer_cycles(const LayerShape& l) {
  const Pixel x = pixel_of(l);
  if (l.passthrough) return l.rows * l.columns * (x.data + l.passes * l.time_slots);
  const int64_t edges = 2 * l.pw * (x.padding + 1);
  const int64_t padding_row = edges + x.times * l.columns * (x.padding + 1);
  const int64_t filling_row = edges + x.times * l.columns * (x.data + 1);
  const auto row = [&](int64_t per_pixel) {
    return l.pw * (x.padding + 1) + x.times * (l.kw - 1 - l.pw) * (per_pixel + 1) +
           x.times * (l.out_columns - l.pw) * per_pixel + x.padding * l.pw;
  };
  const int64_t out =
      l.passes * l.out_columns * l.kernels + (l.kernels == 1 && l.passes == 1 ? 1 : 0);
  const int64_t filling = l.kh - 1 - l.ph;
  return (l.flatten ? 1 : 0) + cycles_before(l) + l.ph * padding_row + filling * filling_row +
         (row(x.data) + out) * (l.rows - filling) + l.ph * (row(x.padding) + out);
}

}  // namespace edgetwin::max78
