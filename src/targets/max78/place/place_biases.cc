// Bias memory: which group holds a layer's biases, and where. Source: specification "memory" 6.
#include <algorithm>

#include "targets/max78/place/place.h"

namespace edgetwin::max78 {
namespace {

class BiasPlacer {
 public:
  BiasPlacer(Plan& plan, Findings& findings) : plan_(plan), findings_(findings) {}

  void run() {
    std::vector<int> sorted = plan_.order;
    std::sort(sorted.begin(), sorted.end());
    std::vector<Queued> queue;
    std::vector<int> placed;  // layers whose biases are stored, or wait to be
    std::vector<std::pair<int, int>> copies;
    for (const int i : sorted) {
      LayerPlan& l = layer(i);
      if (!l.has_bias() || l.passthrough()) continue;
      const auto same = std::find_if(placed.begin(), placed.end(), [&](int j) {
        return plan_.layer(j).parameters->bias == l.parameters->bias;
      });
      if (same != placed.end() && plan_.options.deduplicate_weights) {
        copies.emplace_back(i, *same);
        continue;
      }
      placed.push_back(i);
      if (l.depthwise()) {
        place_depthwise(l);
      } else if (plan_.options.fast_fifo_quad && l.index == plan_.start) {
        place_quad(l);
      } else {
        queue.push_back(queued(l));
      }
    }
    std::stable_sort(queue.begin(), queue.end(),
                     [](const Queued& a, const Queued& b) { return a.key < b.key; });
    for (const Queued& q : queue) {
      if (!place(q)) return;
    }
    for (const auto& [copy, original] : copies) {
      layer(copy).bias_offset = plan_.layer(original).bias_offset;
      layer(copy).bias_home = plan_.layer(original).bias_home;
    }
    check_sizes();
  }

 private:
  LayerPlan& layer(int i) { return plan_.layers[static_cast<size_t>(i)]; }
  struct Queued {
    int layer = 0;
    int length = 0;
    std::vector<int> groups;
    int key = 0;
  };

  bool leads(const LayerPlan& l) const { return plan_.small() && l.index == 0 && l.streaming; }

  Queued queued(const LayerPlan& l) const {
    Queued q;
    q.layer = l.index;
    q.length =
        l.out_channels + lowest_bit(l.out_processors) % 4 * l.out_expand + (leads(l) ? 1 : 0);
    q.groups = l.yaml->bias_group.empty() ? plan_.groups : l.yaml->bias_group;
    if (plan_.small() && l.flatten) {
      q.key = -1;
    } else if (q.groups.size() == 1) {
      q.key = 0;
    } else {
      q.key = plan_.chip->bias_bytes - q.length;
    }
    return q;
  }

  std::vector<uint8_t>& memory(int g) { return plan_.biases[static_cast<size_t>(g)]; }
  int usage(int g) { return static_cast<int>(memory(g).size()); }

  bool place(const Queued& q) {
    LayerPlan& l = layer(q.layer);
    const bool x4 = l.yaml->calcx4;
    const auto taken = [&](int g) { return x4 ? (usage(g) + 3) & ~3 : usage(g); };
    int best = q.groups.front();
    for (const int g : q.groups) {
      if (taken(g) < taken(best)) best = g;
    }
    const int offset = taken(best);
    if (offset + q.length > plan_.chip->bias_bytes) {
      full(l, best, offset, q.length);
      return false;
    }
    l.bias_home = best;
    l.bias_offset[static_cast<size_t>(best)] = offset;
    auto& to = memory(best);
    to.resize(static_cast<size_t>(offset + q.length), 0);
    const int at = offset + lowest_bit(l.out_processors) % 4 * l.out_expand + (leads(l) ? 1 : 0);
    for (size_t o = 0; o < l.parameters->bias.size() && static_cast<size_t>(at) + o < to.size();
         ++o) {
      to[static_cast<size_t>(at) + o] = static_cast<uint8_t>(l.parameters->bias[o]);
    }
    return true;
  }

  void full(const LayerPlan& l, int g, int offset, int length) {
    add_finding(findings_, plan_, Rule::bias_memory, l.index,
                "the bias memory of group " + std::to_string(g) + " has no room for its biases",
                {std::to_string(offset) + " used + " + std::to_string(length) + " needed > " +
                 std::to_string(plan_.chip->bias_bytes)},
                ai8x::Key::bias_group);
  }

  // The four groups compute every fourth channel each.
  void place_quad(LayerPlan& l) {
    l.bias_home = 0;
    for (int g = 0; g < kGroups; ++g) l.bias_offset[static_cast<size_t>(g)] = usage(g);
    for (size_t o = 0; o < l.parameters->bias.size(); ++o) {
      memory(static_cast<int>(o % kGroups)).push_back(static_cast<uint8_t>(l.parameters->bias[o]));
    }
  }

  // Biases lie where the processors are that compute a channel; nullopt entries are only spacing.
  void place_depthwise(LayerPlan& l) {
    uint64_t map = l.hw_processors;
    for (int g = 0; g < kGroups; ++g) {
      if (group_bits(map, g) == 0) continue;
      if (l.broadcast) memory(g).resize(static_cast<size_t>((usage(g) + 3) & ~3), 0);
      l.bias_offset[static_cast<size_t>(g)] = usage(g);
      if (l.bias_home < 0) l.bias_home = g;
    }
    const int group = lowest_bit(map) / kGroupProcessors;
    if (!l.broadcast) map = aligned_first_group(map, group);
    int start = lowest_bit(map), last = highest_bit(map);
    if (l.broadcast) last |= kGroupProcessors - 1;
    const bool several = (l.hw_processors >> (16 * group)) > 0xffffU;
    // All groups are written side by side, also those before the first one that computes: they get
    // zeros which no layer reads.
    if (l.broadcast || several) start = 0;
    int touched = group;
    std::vector<bool> real;  // of the group touched last
    for (int expand = 0; expand < l.out_expand; ++expand) {
      const std::vector<int> row = bias_row(l, map, expand, start, last);
      for (int p = start; p <= last; ++p) {
        const int source = (l.broadcast ? (p & ~15) + p % 4 * 4 + p % 16 / 4 : p) - start;
        const bool present =
            source < static_cast<int>(row.size()) && row[static_cast<size_t>(source)] > -1000;
        touched = p / kGroupProcessors;
        memory(touched).push_back(present ? static_cast<uint8_t>(row[static_cast<size_t>(source)])
                                          : uint8_t{0});
        last_present_[static_cast<size_t>(touched)].push_back(present);
      }
    }
    trim(touched);
    for (auto& flags : last_present_) flags.clear();
  }

  static uint64_t aligned_first_group(uint64_t map, int group) {
    const uint64_t mask = uint64_t{0xffff} << (16 * group);
    const int shift = lowest_bit(map) % kGroupProcessors;
    return (map & ~mask) | (((map & mask) >> shift) & mask);
  }

  // Values by processor from `start` on; below -1000: none.
  static std::vector<int> bias_row(const LayerPlan& l, uint64_t map, int expand, int start,
                                   int last) {
    std::vector<int> row;
    int next = expand * l.out_thresh;
    const int end = std::min(next + l.out_thresh, static_cast<int>(l.parameters->bias.size()));
    for (int p = start; p <= last && p < kProcessors; ++p) {
      const bool has = in_map(map, p) && next < end;
      row.push_back(has ? l.parameters->bias[static_cast<size_t>(next)] : -10000);
      if (in_map(map, p)) ++next;
    }
    return row;
  }

  void trim(int g) {
    auto& flags = last_present_[static_cast<size_t>(g)];
    while (!flags.empty() && !flags.back()) {
      flags.pop_back();
      memory(g).pop_back();
    }
  }

  void check_sizes() {
    for (int g = 0; g < kGroups; ++g) {
      if (usage(g) <= plan_.chip->bias_bytes) continue;
      add_finding(findings_, plan_, Rule::bias_memory, -1,
                  "group " + std::to_string(g) + " holds " + std::to_string(usage(g)) +
                      " biases, its memory has " + std::to_string(plan_.chip->bias_bytes) +
                      " bytes");
    }
  }

  Plan& plan_;
  Findings& findings_;
  std::array<std::vector<bool>, kGroups> last_present_;
};

}  // namespace

void place_biases(Plan& plan, Findings& findings) { BiasPlacer(plan, findings).run(); }

}  // namespace edgetwin::max78
