// Processors: kernels lie in the memories of those that read, so that maps decide what fits.
#include <algorithm>
#include <array>

#include "base/rng.h"
#include "targets/max78/planner/tensors.h"

namespace edgetwin::max78 {
namespace {

struct KernelLayer {
  uint64_t map = 0;
  int64_t columns = 0;
  int64_t per_column = 0;  // cycles for each column before its kernels
};

// Columns of a layer's kernels in each of its processors' memories.
int64_t columns_of(const HardwareLayer& l, uint64_t out) {
  if (l.passthrough() || l.bypass || !l.parameters->has_weights()) return 0;
  const int low = lowest_bit(out), high = highest_bit(out);
  const int first = low - (l.out_expand > 1 ? low % 4 : 0);
  const int64_t passes = l.flatten ? 1 : l.in_expand;
  int64_t kernels = l.depthwise() ? passes : int64_t{1 + high - first} * l.out_expand * passes;
  if (l.flatten) {
    const int64_t pixels = int64_t{l.hw_pooled.h} * l.hw_pooled.w * l.in_expand;
    kernels *= pixels;
  }
  const int64_t per = 8 / l.bits();
  const int64_t rest = kernels % per * l.taps() * (per - 1);
  return (kernels * l.taps() * l.bits() + rest + 71) / 72;
}

// Source: specification of estimates 1.1, as in analysis/cycles.cc.
int64_t waiting_of(const HardwareLayer& l) {
  if (l.yaml->pool_first || (l.in_expand == 1 && l.operands == 1)) return 0;
  const int64_t ph = l.hw_pad.h, pw = l.hw_pad.w;
  return (l.hw_pooled.h + 2 * ph - l.hw_kernel.w + 1) * pw +
         (l.hw_pooled.w + 2 * pw - l.hw_kernel.h + 1) * ph - ph * pw;
}

uint64_t map_of(const TensorTable& t, const HardwarePlan& plan, int layer) {
  uint64_t map = 0;
  for (const int s : t.sources[static_cast<size_t>(layer)]) {
    map |= t.tensors[static_cast<size_t>(s)].map;
  }
  if (map == 0 && plan.network->data_buffer) map = plan.network->data_buffer->processors;
  return map;
}

class BaseSearch {
 public:
  BaseSearch(const HardwarePlan& plan, TensorTable& t, const SearchSettings& s)
      : plan_(plan), t_(t), processors_(s.processors), random_(s.seed) {}

  bool run(bool shuffled) {
    for (const MapGroup& m : t_.groups) {
      if (!m.fixed && m.extent > processors_) return false;
    }
    std::vector<size_t> order;
    for (size_t g = 0; g < t_.groups.size(); ++g) {
      if (!t_.groups[g].fixed) order.push_back(g);
      if (!t_.groups[g].fixed) t_.groups[g].base = 0;
    }
    for (size_t i = order.size(); shuffled && i > 1; --i) {
      std::swap(order[i - 1], order[random_.next() % i]);
    }
    // Each group where it helps most, until no single move helps.
    for (int round = 0; round < 8; ++round) {
      bool moved = false;
      for (const size_t g : order) moved = improve(t_.groups[g]) || moved;
      if (!moved) break;
    }
    use_first_group();
    give_maps(t_);
    return true;
  }

 private:
  std::array<int64_t, 4> cost() {
    give_maps(t_);
    const KernelNeed n = kernel_need(plan_, t_);
    int64_t last = 0;
    for (const PlanTensor& t : t_.tensors) {
      if (t.used) last += overlap(t);
    }
    return {n.missing, n.waiting, n.fullest, last};
  }

  // Bytes that share a data memory with what is alive at the same time.
  int64_t overlap(const PlanTensor& a) const {
    int64_t bytes = 0;
    for (const PlanTensor& b : t_.tensors) {
      if (&a == &b || !b.used || b.first > a.last || a.first > b.last) continue;
      if ((memories(a.map) & memories(b.map)) != 0) bytes += std::min(a.bytes, b.bytes);
    }
    return bytes;
  }

  static uint32_t memories(uint64_t map) {
    uint32_t bits = 0;
    for (int i = 0; i < 16; ++i) bits |= ((map >> (4 * i)) & 0xfU) != 0 ? 1U << i : 0U;
    return bits;
  }

  bool improve(MapGroup& g) {
    const int before = g.base;
    int best = before;
    auto least = cost();
    for (int base = 0; base + g.extent <= processors_; base += g.step) {
      if (base == before) continue;
      g.base = base;
      const auto c = cost();
      if (c >= least) continue;
      least = c;
      best = base;
    }
    g.base = best;
    return best != before;
  }

  // Group 0 of the chip works in any case: it does not stay without processors.
  void use_first_group() {
    int low = kProcessors;
    give_maps(t_);
    for (const int i : plan_.order) low = std::min(low, lowest_bit(map_of(t_, plan_, i)));
    const bool fixed = std::ranges::any_of(t_.groups, [](const MapGroup& m) { return m.fixed; });
    if (fixed || low < kGroupProcessors || low >= kProcessors) return;
    for (MapGroup& m : t_.groups)
      m.base -= std::min(m.base, low / kGroupProcessors * kGroupProcessors);
  }

  const HardwarePlan& plan_;
  TensorTable& t_;
  int processors_;
  XorShift32 random_;
};

}  // namespace

KernelNeed kernel_need(const HardwarePlan& plan, const TensorTable& t) {
  std::array<int64_t, kProcessors> filled = {};
  filled.fill((int64_t{plan.options.weight_start} + 3) & ~int64_t{3});
  KernelNeed need;
  std::vector<KernelLayer> layers;
  for (const int i : plan.order) {
    const int64_t columns = columns_of(plan.layer(i), t.tensors[static_cast<size_t>(i) + 1].map);
    if (columns > 0) layers.push_back({map_of(t, plan, i), columns, waiting_of(plan.layer(i))});
  }
  std::stable_sort(layers.begin(), layers.end(), [](const KernelLayer& a, const KernelLayer& b) {
    return (a.map == ~uint64_t{0}) > (b.map == ~uint64_t{0});
  });
  for (const KernelLayer& l : layers) {
    int64_t from = 0;
    for (int p = 0; p < kProcessors; ++p) {
      if (in_map(l.map, p)) from = std::max(from, filled[static_cast<size_t>(p)]);
    }
    for (int p = 0; p < kProcessors; ++p) {
      if (in_map(l.map, p)) filled[static_cast<size_t>(p)] = from + l.columns;
    }
    need.fullest = std::max(need.fullest, from + l.columns);
    need.waiting += l.per_column * from;
  }
  need.missing = std::max<int64_t>(0, need.fullest - plan.chip->kernel_columns);
  return need;
}

bool choose_maps(const HardwarePlan& plan, TensorTable& t, const SearchSettings& settings) {
  return BaseSearch(plan, t, settings).run(settings.seed != 1);
}

}  // namespace edgetwin::max78
