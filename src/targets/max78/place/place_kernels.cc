// Kernel memory: which columns a layer takes. Source: specification "memory" 5.3, 5.5 and 5.6.
#include <algorithm>
#include <optional>

#include "targets/max78/place/kernel_stream.h"
#include "targets/max78/place/place.h"

namespace edgetwin::max78 {
namespace {

constexpr int64_t ru4(int64_t x) { return (x + 3) & ~int64_t{3}; }

constexpr uint64_t kFirstProcessors = 0x0001000100010001U;

class KernelPlacer {
 public:
  KernelPlacer(Plan& plan, Findings& findings) : plan_(plan), findings_(findings) {
    plan.kernels.resize(kProcessors);
    occupied_.resize(kProcessors);
    for (int p = 0; p < kProcessors; ++p) {
      const auto columns = static_cast<size_t>(plan.chip->columns(p));
      plan.kernels[static_cast<size_t>(p)].columns.assign(columns, {});
      plan.kernels[static_cast<size_t>(p)].used.assign(columns, false);
      occupied_[static_cast<size_t>(p)].assign(columns, false);
    }
  }

  void run() {
    const std::vector<int> order = placing_order();
    for (const int i : order) set_sizes(layer(i));
    for (const int i : order) find_duplicate(i);
    for (const int i : order) {
      if (plan_.layer(i).kernels_of < 0 && !place(layer(i))) return;
    }
    for (const int i : order) {
      LayerPlan& l = layer(i);
      if (l.kernels_of < 0) continue;
      const LayerPlan& owner = plan_.layer(l.kernels_of);
      l.kern_offs = owner.kern_offs;
      l.kern_len = owner.kern_len;
      l.kern_count = owner.kern_count;
      l.kern_ochan = owner.kern_ochan;
    }
  }

 private:
  LayerPlan& layer(int i) { return plan_.layers[static_cast<size_t>(i)]; }
  static bool stores(const LayerPlan& l) {
    return !l.passthrough() && !l.bypass && l.parameters->has_weights();
  }

  // The first layer after the fast FIFO of four groups: its kernels are dealt out to them.
  bool is_quad(const LayerPlan& l) const {
    return plan_.options.fast_fifo_quad && l.index == plan_.start;
  }

  // First those that use all processors.
  std::vector<int> placing_order() const {
    std::vector<int> order;
    for (const bool full : {true, false}) {
      for (const int i : sorted_layers()) {
        const LayerPlan& l = plan_.layer(i);
        if (stores(l) && (l.hw_processors == ~uint64_t{0}) == full) order.push_back(i);
      }
    }
    return order;
  }

  std::vector<int> sorted_layers() const {
    std::vector<int> order = plan_.order;
    std::sort(order.begin(), order.end());
    return order;
  }

  void set_sizes(LayerPlan& l) const {
    const int low = lowest_bit(l.out_processors), high = highest_bit(l.out_processors);
    l.start_col = low % 4;
    const int first = low - (l.out_expand > 1 ? l.start_col : 0);
    const int64_t in_exp = l.flatten ? 1 : l.in_expand;
    int64_t kc = 0;
    if (l.depthwise()) {
      kc = in_exp;
      l.kern_count = kc + l.start_col * in_exp;
      l.kern_ochan = (1 + high - first) * in_exp + l.start_col * in_exp;
    } else {
      kc = (1 + high - first) * l.out_expand * in_exp;
      l.kern_count = l.kern_ochan = kc + l.start_col * l.out_expand * in_exp;
    }
    if (l.flatten) {
      const int64_t f = int64_t{l.hw_pooled.h} * l.hw_pooled.w * l.in_expand;
      const int64_t missing =
          (int64_t{l.out_expand} * count_bits(l.out_processors) - l.out_channels) * f;
      kc = kc * f - missing;
      l.kern_count = l.kern_ochan = l.kern_count * f - missing;
    }
    const int64_t q = l.bits(), qf = 8 / q, taps = l.taps();
    const int64_t residue = kc % qf * taps * (qf - 1);
    l.kern_len = (kc * taps * q + residue + 71) / 72;
    if (!is_quad(l)) return;
    for (int64_t* n : {&l.kern_len, &l.kern_count, &l.kern_ochan}) *n = (*n + 3) / 4;
  }

  void find_duplicate(int i) {
    if (!plan_.options.deduplicate_weights) return;
    LayerPlan& l = layer(i);
    for (const int j : sorted_layers()) {
      const LayerPlan& other = plan_.layer(j);
      if (j >= i) return;
      if (!stores(other) || other.quantization != l.quantization ||
          other.hw_processors != l.hw_processors || !same_kernels(l, other)) {
        continue;
      }
      l.kernels_of = other.kernels_of < 0 ? j : other.kernels_of;
      return;
    }
  }

  static bool same_kernels(const LayerPlan& a, const LayerPlan& b) {
    // Compared as the hardware has them: kernels side by side, whatever the channels are.
    return a.hw_kernel == b.hw_kernel && a.parameters->out == b.parameters->out &&
           std::equal(a.weights.begin(), a.weights.end(), b.weights.begin(), b.weights.end());
  }

  bool occupied(int p, int64_t column) const {
    return occupied_[static_cast<size_t>(p)][static_cast<size_t>(column)];
  }
  bool fits(int p, int64_t offs, int64_t length) const {
    return offs >= 0 && offs + length <= plan_.chip->columns(p);
  }

  // Where a layer of depthwise kernels may begin, so that it stays within one memory.
  std::optional<int64_t> within_memory(int64_t offs, int64_t length) const {
    const auto mask_at = [](int64_t o) { return int64_t{o + 2 >= 4096 ? 255 : 1023}; };
    const auto crosses = [&](int64_t o) {
      const int64_t mask = mask_at(o);
      return ((o + 1) & ~mask) != ((o + length) & ~mask);
    };
    if (!crosses(offs)) return offs;
    const int64_t mask = mask_at(offs);
    const int64_t moved = ((offs + mask) & ~mask) - 1;
    if (crosses(moved)) return std::nullopt;
    return moved;
  }

  std::optional<int64_t> search_forward(const LayerPlan& l) {
    const int first = lowest_bit(l.hw_processors);
    int64_t offs = ru4(plan_.options.weight_start);
    const auto full = [&](int p) {
      add_finding(
          findings_, plan_, Rule::kernel_memory, l.index,
          "processor " + std::to_string(p) + " has no room for its kernels",
          {"from column " + std::to_string(offs) + " on " + std::to_string(l.kern_len) +
               " columns are needed, the memory has " + std::to_string(plan_.chip->columns(p)),
           std::to_string(l.kern_count) + " kernels * " + std::to_string(l.taps()) + " taps * " +
               std::to_string(l.bits()) + " bits / 72 = " + std::to_string(l.kern_len)});
      return std::nullopt;
    };
    while (true) {
      if (!fits(first, offs, l.kern_len)) return full(first);
      if (!occupied(first, offs)) break;
      offs += 4;
    }
    for (int p = first; p <= highest_bit(l.hw_processors); ++p) {
      if (!in_map(l.hw_processors, p)) continue;
      if (l.depthwise() && !plan_.small()) {
        const auto moved = within_memory(offs, l.kern_len);
        if (!moved) {
          add_finding(
              findings_, plan_, Rule::kernel_crossing, l.index,
              std::to_string(l.kern_len) + " columns from column " + std::to_string(offs) + " on");
          return std::nullopt;
        }
        offs = *moved;
      }
      if (!fits(p, offs, l.kern_len)) return full(p);
      for (int64_t j = offs; j < offs + l.kern_len; ++j) {
        if (!occupied(p, j)) continue;
        offs = ru4(j + 1);
        if (!fits(p, offs, l.kern_len)) return full(p);
        p = first - 1;
        break;
      }
    }
    return ru4(offs);
  }

  bool searches_backwards(const LayerPlan& l) const {
    if (plan_.small() || !plan_.options.new_kernel_loader) return false;
    if ((l.hw_processors & ~kFirstProcessors) != 0) return false;
    const bool first_x4 = l.yaml->calcx4 && (l.prev < 0 || !plan_.layer(l.prev).yaml->calcx4);
    return !first_x4 && !(l.depthwise() && l.kern_len > 256);
  }

  std::optional<int64_t> search_backward(const LayerPlan& l) const {
    const int first = lowest_bit(l.hw_processors);
    int64_t offs = plan_.chip->first_kernel_columns - 1;
    while (occupied(first, offs)) {
      offs -= 4;
      if (offs < 0) return std::nullopt;
    }
    for (int p = first; p <= highest_bit(l.hw_processors); ++p) {
      if (!in_map(l.hw_processors, p)) continue;
      if (l.depthwise()) {
        const int64_t mask = offs >= 4096 ? 255 : 1023;
        if (((offs - 1) & ~mask) != ((offs - l.kern_len) & ~mask)) offs &= ~mask;
      }
      if (offs - l.kern_len + 1 < 0) return std::nullopt;
      for (int64_t j = offs; j > offs - l.kern_len; --j) {
        if (!occupied(p, j)) continue;
        offs = (j - 1) & ~int64_t{3};
        // The vendor's test: the one of the search from below.
        if (offs < 0 || offs + l.kern_len > plan_.chip->columns(p)) return std::nullopt;
        p = first - 1;
        break;
      }
    }
    return (offs - (l.kern_len - 1)) & ~int64_t{3};
  }

  bool place(LayerPlan& l) {
    std::optional<int64_t> offs;
    if (searches_backwards(l)) offs = search_backward(l);
    if (!offs) offs = search_forward(l);
    if (!offs) return false;
    l.kern_offs = *offs;
    if (!plan_.options.new_kernel_loader) {
      const int64_t qf = 8 / l.bits();
      l.kern_offs = ru4(std::max<int64_t>(0, l.kern_offs - (l.start_col + qf - 1) / qf));
    }
    if (l.yaml->calcx4 && (l.prev < 0 || !plan_.layer(l.prev).yaml->calcx4)) {
      l.kern_offs = ru4(l.kern_offs * 4);
    }
    return store(l);
  }

  bool store_column(const LayerPlan& l, int p, int64_t logical, const KernelColumn& c) {
    const int64_t physical = l.yaml->calcx4 ? calcx4_column(l, logical) : logical;
    if (!fits(p, logical, 1) || !fits(p, physical, 1)) {
      add_finding(findings_, plan_, Rule::kernel_memory, l.index,
                  "processor " + std::to_string(p) + " has no column " + std::to_string(logical));
      return false;
    }
    occupied_[static_cast<size_t>(p)][static_cast<size_t>(logical)] = true;
    auto& memory = plan_.kernels[static_cast<size_t>(p)];
    memory.used[static_cast<size_t>(physical)] = true;
    memory.columns[static_cast<size_t>(physical)] = c.bytes;
    return true;
  }

  bool store(LayerPlan& l) {
    int64_t end = 0;
    for (int p = 0; p < kProcessors; ++p) {
      if (!in_map(is_quad(l) ? l.processors : l.hw_processors, p)) continue;
      const KernelStream stream = kernel_stream(l, p);
      end = stream.end;
      for (const KernelColumn& c : stream.columns) {
        const bool stored =
            is_quad(l) ? store_column(l, p + kGroupProcessors * static_cast<int>(c.column % 4),
                                      l.kern_offs + c.column / 4, c)
                       : store_column(l, p, l.kern_offs + c.column, c);
        if (!stored) return false;
      }
    }
    if (l.flatten) l.kern_len = end;
    if (!plan_.options.new_kernel_loader) l.kern_len = end - l.start_col;
    return true;
  }

  Plan& plan_;
  Findings& findings_;
  std::vector<std::vector<bool>> occupied_;
};

}  // namespace

void place_kernels(Plan& plan, Findings& findings) { KernelPlacer(plan, findings).run(); }

}  // namespace edgetwin::max78
