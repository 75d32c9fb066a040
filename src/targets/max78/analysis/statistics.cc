#include "targets/max78/analysis/statistics.h"

#include <algorithm>

#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
namespace {

int64_t area(Size2 s) { return int64_t{s.h} * s.w; }

Operations operations_of(const LayerPlan& l) {
  Operations o;
  const bool pool_first = l.yaml->pool_first;
  if (l.pools()) {
    const int64_t operands = l.operands > 1 && pool_first ? l.operands : 1;
    const int64_t n = area(l.pool) * area(l.pooled_dim) * l.in_channels * operands;
    (l.average() ? o.add : o.comp) += n;
  }
  if (l.operands > 1) {
    const int64_t n = (l.operands - 1) * l.in_channels * area(pool_first ? l.pooled_dim : l.in_dim);
    const bool sums =
        l.yaml->eltwise == ai8x::Eltwise::add || l.yaml->eltwise == ai8x::Eltwise::sub;
    (sums ? o.add : o.bitwise) += n;
  }
  if (l.passthrough()) return o;
  const int64_t out = area(l.out_dim) * l.out_channels;
  const int64_t in = l.in_channels * (l.flatten ? area(l.pooled_dim) : 1) / l.groups;
  // A single tap that streams is computed as nine; a dilated kernel counts what was asked for.
  const bool emulated = l.hw_kernel.h == 3 && l.kernel.h == 1 && l.op == Operator::conv2d;
  o.macc += in * (emulated ? 9 : area(l.kernel)) * out;
  if (l.activation != ai8x::Activation::none) o.comp += out;
  return o;
}

// Cycles of one layer of a MAX78000.
class Latency {
 public:
  Latency(const Plan& plan, const LayerPlan& l) : plan_(plan), l_(l) {
    mp_ = l.in_expand;
    if (l.passthrough() && l.pools() && l.out_expand > 1) mp_ = 2 * mp_ - 1;
    rows_ = l.hw_pooled.h;
    columns_ = l.hw_pooled.w;
    out_columns_ = l.out_dim.w;
    if (l.hw_op == Operator::conv_transpose2d) {
      rows_ *= 2;
      columns_ *= 2;
    }
    if (l.hw_op == Operator::conv2d && l.op == Operator::conv1d) out_columns_ = columns_;
    if (l.flatten) out_columns_ = columns_;
  }

  int64_t cycles() const {
    const int64_t ne = l_.operands, taps = area(l_.pool);
    const bool first = l_.yaml->pool_first;
    const int64_t pad_mp = first ? 2 * mp_ * ne : 2 * mp_;
    const int64_t dat_mp = first ? mp_ * ne * (taps + 1) : mp_ * (ne * taps + 1);
    if (l_.passthrough()) return rows_ * columns_ * (dat_mp + mp_ * time_slots());
    const int64_t mm = first ? 1 : mp_;
    const int64_t rp = l_.hw_pad.h, cp = l_.hw_pad.w, k0 = l_.hw_kernel.h, k1 = l_.hw_kernel.w;
    const int64_t pad_row = 2 * cp * (pad_mp + 1) + mm * columns_ * (pad_mp + 1);
    const int64_t quiet_row = 2 * cp * (pad_mp + 1) + mm * columns_ * (dat_mp + 1);
    const auto row = [&](int64_t per_pixel) {
      return cp * (pad_mp + 1) + mm * (k1 - 1 - cp) * (per_pixel + 1) +
             mm * (out_columns_ - cp) * per_pixel + pad_mp * cp;
    };
    const int64_t oc = out_channels();
    const int64_t out = mp_ * out_columns_ * oc + (oc == 1 && mp_ == 1 ? oc : 0);
    const int64_t quiet = k0 - 1 - rp;
    const int64_t flat = l_.flatten && l_.in_expand * area(l_.hw_pooled) > 16 ? 1 : 0;
    return flat + before() + rp * pad_row + quiet * quiet_row +
           (row(dat_mp) + out) * (rows_ - quiet) + rp * (row(pad_mp) + out);
  }

 private:
  int64_t before() const {
    if (l_.yaml->pool_first || (mp_ == 1 && l_.operands == 1)) return 0;
    const int64_t rp = l_.hw_pad.h, cp = l_.hw_pad.w;
    return ((rows_ + 2 * rp - l_.hw_kernel.w + 1) * cp +
            (columns_ + 2 * cp - l_.hw_kernel.h + 1) * rp - rp * cp) *
           l_.kern_offs;
  }

  int64_t out_channels() const {
    return l_.kern_count / (l_.in_expand * (l_.flatten ? area(l_.hw_pooled) : 1));
  }

  int64_t time_slots() const {
    return static_cast<int64_t>(LayerRegs(plan_, l_).one_dimension() & 15U) + 1;
  }

  const Plan& plan_;
  const LayerPlan& l_;
  int64_t mp_, rows_, columns_, out_columns_;
};

}  // namespace

Operations& Operations::operator+=(const Operations& other) {
  macc += other.macc;
  comp += other.comp;
  add += other.add;
  mul += other.mul;
  bitwise += other.bitwise;
  return *this;
}

Statistics statistics(const Plan& plan) {
  Statistics s;
  std::vector<int> sorted = plan.order;
  std::sort(sorted.begin(), sorted.end());
  s.start_cycles = plan.small() ? 1 : 0;
  s.cycles = s.start_cycles;
  for (const int i : sorted) {
    const LayerPlan& l = plan.layer(i);
    LayerStatistics one{i, operations_of(l), 0, l.streaming};
    if (plan.small()) {
      one.cycles = Latency(plan, l).cycles();
      if (l.streaming) one.cycles = (15 * one.cycles + 9) / 10;
    }
    s.operations += one.operations;
    s.cycles += one.cycles;
    s.layers.push_back(one);
    if (!l.passthrough() && !l.bypass && l.kernels_of < 0) {
      s.weight_bytes += static_cast<int64_t>(l.weights.size()) * l.bits() / 8;
    }
  }
  for (int p = 0; p < kProcessors; ++p)
    s.weight_bytes_total += int64_t{kColumnBytes} * plan.chip->columns(p);
  for (int g = 0; g < kGroups; ++g) {
    s.bias_bytes += static_cast<int64_t>(plan.biases[static_cast<size_t>(g)].size());
    s.bias_bytes_total += plan.chip->bias_bytes;
  }
  return s;
}

}  // namespace edgetwin::max78
