// Streaming layers: when each starts, and how it steps. Source: specification "registers" 4.
#include <algorithm>

#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

int64_t up4(int64_t x) { return (x + 3) / 4; }
int64_t multiple(int64_t x, int64_t of) { return (x + of - 1) / of * of; }

StreamValues small_values(const HardwarePlan& plan, const HardwareLayer& l) {
  const Options& o = plan.options;
  const bool first = l.index == plan.start, fifo = o.use_fifo();
  const int64_t p0 = l.pool.h, p1 = l.pool.w, ps = l.pool_stride.h, ops = l.operands;
  const int64_t w = l.hw_in.w;
  StreamValues v;
  if (first && fifo) {
    if (l.streaming) {
      v.start = ((p0 - 1) * w + p1) * p0;
      v.delta1 = o.override_delta1.value_or(static_cast<int>((ps - 1) * ops));
      v.delta2 = o.override_delta2.value_or(static_cast<int>((p0 - 1) * w * ops));
    } else {
      const int64_t pixels = int64_t{l.hw_in.h} * w;
      v.start = l.yaml->big_data ? up4(pixels) * p0 : pixels * p0;
    }
    v.start = o.override_start.value_or(static_cast<int>(v.start));
  } else if (!first && l.streaming) {
    const HardwareLayer& prev = plan.layer(l.prev);
    const int64_t wp = prev.hw_pooled.w + 2 * int64_t{prev.hw_pad.w};
    v.start = wp * (prev.hw_kernel.h - 1 + p0 - 1) + prev.hw_kernel.w - 1 + p1 + o.increase_start;
    v.delta1 = ps * ops + o.increase_delta1;
    v.delta2 = (ps - 1) * wp + p1 * ops + o.increase_delta2;
  }
  if (fifo && l.streaming) {
    v.rolls = true;
    if (first && o.override_rollover) {
      v.rollover = *o.override_rollover;
    } else if (l.yaml->big_data) {
      v.rollover = 12;
    } else {
      v.rollover = multiple(v.start + (p0 - 1) * w + std::max({int64_t{l.yaml->stride.w}, ps, p1}),
                            l.in_expand);
    }
  }
  return v;
}

// Numbers of MAX78002 that several formulas share.
struct Steps {
  int64_t row_prim = 0, row_inc = 0, col_inc = 0, effective = 0, rest = 0, skipped = 0;
};

Steps steps_of(const HardwareLayer& l, bool new_rule) {
  const int64_t p1 = l.pool.w, ps = l.pool_stride.h, w = l.hw_in.w;
  Steps s;
  s.row_prim = l.hw_pad.w > 0 ? l.hw_pad.w : ps;
  s.row_inc = std::max<int64_t>(int64_t{l.pool.h} * l.pool_dilation.h, ps);
  s.col_inc = std::max<int64_t>(p1 * l.pool_dilation.w, ps);
  if (new_rule) {
    s.effective = w / s.col_inc;
    if (s.effective * ps + p1 > w) --s.effective;
    s.rest = s.col_inc == 1 ? 0 : w - s.effective * s.col_inc;
  } else {
    s.effective = w / ps;
    if (s.effective * ps + p1 - 1 > w) --s.effective;
    s.rest = w - s.effective * s.col_inc;
  }
  s.skipped = std::max<int64_t>(0, w - s.effective * ps);
  return s;
}

int64_t large_start(const HardwarePlan& plan, const HardwareLayer& l, const Steps& s) {
  const int64_t w = l.hw_in.w, pad = l.hw_pad.w, ps = l.pool_stride.h;
  const int64_t ahead = l.yaml->readahead ? ps : 0;
  const int64_t window = (s.row_inc * (w + 2 * pad) + pad + 2 * s.col_inc) * l.operands;
  if (l.index == plan.start) {
    if (!l.streaming) return int64_t{l.hw_in.h} * w;
    return ps == 1 && l.pool.h == 1 ? s.col_inc : window + ahead;
  }
  const bool last = l.next == ai8x::kStop || !plan.layer(l.next).streaming;
  const int64_t prim = l.index > 0 ? s.row_prim : pad;
  return prim * (w + 2 * pad) + window + ahead + (last ? s.rest * ps : 0);
}

void large_deltas(const HardwarePlan& plan, const HardwareLayer& l, const Steps& s,
                  StreamValues& v) {
  const Options& o = plan.options;
  const bool chw = l.yaml->big_data, new_rule = l.index > 0;
  const int64_t p1 = l.pool.w, ps = l.pool_stride.h, w = l.hw_in.w;
  if (l.index == plan.start) {
    v.delta1 = ps * l.operands - (ps == 1 && l.pool.h == 1 ? 1 : 0);
    if (chw) v.delta1 = up4(v.delta1);
    v.delta1 = o.override_delta1.value_or(static_cast<int>(v.delta1));
    if (ps == 1) {
      v.delta2 = v.delta1 + s.skipped;
    } else {
      v.delta2 = (ps - 1) * w + (new_rule ? s.rest : s.skipped + p1 - 1);
    }
    if (chw) v.delta2 = up4(v.delta2);
    if (o.pipeline.value_or(true) && v.delta2 > 0) ++v.delta2;
    v.delta2 = o.override_delta2.value_or(static_cast<int>(v.delta2));
    return;
  }
  const auto packed = [&](int64_t x) { return chw ? up4(x) : x; };
  v.delta1 = packed(ps * l.operands);
  v.delta2 = packed(ps == 1 ? v.delta1 + s.rest : (ps - 1) * w + s.rest);
  v.delta1 += o.increase_delta1;
  v.delta2 += o.increase_delta2;
}

StreamValues large_values(const HardwarePlan& plan, const HardwareLayer& l) {
  const Options& o = plan.options;
  const bool first = l.index == plan.start, fifo = o.use_fifo(), chw = l.yaml->big_data;
  const int64_t w = l.hw_in.w, pad = l.hw_pad.w, ps = l.pool_stride.h;
  StreamValues v;
  if (!(first && fifo) && !l.streaming) return v;
  const Steps s = steps_of(l, l.index > 0);
  int64_t start = large_start(plan, l, s);
  if (first && o.override_start) start = *o.override_start;
  v.start = chw ? up4(start) : start;
  if (l.streaming) large_deltas(plan, l, s, v);
  if (!fifo || !l.streaming) return v;
  v.rolls = true;
  if (first && o.override_rollover) {
    v.rollover = *o.override_rollover;
  } else if (first) {
    v.rollover = start + s.col_inc + (ps - 1) * (w + 2 * pad);
    if (chw) v.rollover *= ps * 4;
  } else {
    v.rollover = multiple(start + (l.in_expand - 1) * (s.row_inc * w + pad + s.col_inc) + s.col_inc,
                          l.in_expand);
    if (chw) v.rollover = up4(v.rollover);
  }
  return v;
}

}  // namespace

StreamValues stream_values(const HardwarePlan& plan, const HardwareLayer& l) {
  StreamValues v = plan.small() ? small_values(plan, l) : large_values(plan, l);
  if (l.streaming && l.index > plan.start) {
    for (const int i : plan.order) {
      const HardwareLayer& before = plan.layer(i);
      if (i < l.index) v.invol += before.tcalc ? (before.in_expand + 3) & ~3 : before.in_expand;
    }
  }
  return v;
}

}  // namespace edgetwin::max78
