#include "targets/max78/analysis/statistics.h"

#include <algorithm>

#include "targets/max78/analysis/cycles.h"

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
      one.cycles = layer_cycles(layer_shape(plan, l));
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
