// Groups of biases. The loader puts the longest first into the emptiest group, which may find no
// room where another order does (place/place_biases.cc).
#include <algorithm>
#include <array>

#include "targets/max78/planner/tensors.h"

namespace edgetwin::max78 {
namespace {

struct BiasItem {
  int layer = 0;
  int bytes = 0;
  std::vector<int> groups;  // allowed
};

class BiasPacker {
 public:
  explicit BiasPacker(const HardwarePlan& plan) : plan_(plan), room_(plan.chip->bias_bytes) {}

  std::vector<std::pair<int, int>> run() {
    if (!collect()) return {};
    std::ranges::stable_sort(
        items_, [](const BiasItem& a, const BiasItem& b) { return a.bytes > b.bytes; });
    chosen_.assign(items_.size(), -1);
    if (!fill(0)) return {};
    std::vector<std::pair<int, int>> result;
    for (size_t i = 0; i < items_.size(); ++i) {
      const bool written = !plan_.layer(items_[i].layer).yaml->bias_group.empty();
      if (!written) result.emplace_back(items_[i].layer, chosen_[i]);
    }
    return result;
  }

 private:
  // Channels of depthwise layers and of four FIFOs lie where they are computed: not chosen here.
  bool collect() {
    std::vector<int> seen;
    for (const int i : plan_.order) {
      const HardwareLayer& l = plan_.layer(i);
      if (!l.has_bias() || l.passthrough()) continue;
      if (l.depthwise() || (plan_.options.fast_fifo_quad && i == plan_.start)) return false;
      const bool copy = std::ranges::any_of(
          seen, [&](int j) { return plan_.layer(j).parameters->bias == l.parameters->bias; });
      seen.push_back(i);
      if (copy && plan_.options.deduplicate_weights) continue;
      BiasItem item;
      item.layer = i;
      const bool leads = plan_.small() && i == 0 && l.streaming;
      item.bytes =
          l.out_channels + lowest_bit(l.out_processors) % 4 * l.out_expand + (leads ? 1 : 0);
      if (l.yaml->calcx4) item.bytes = (item.bytes + 3) & ~3;
      item.groups = l.yaml->bias_group.empty() ? plan_.groups : l.yaml->bias_group;
      items_.push_back(std::move(item));
    }
    return true;
  }

  bool fill(size_t at) {
    if (at == items_.size()) return true;
    if (++steps_ > kMostSteps) return false;
    const BiasItem& item = items_[at];
    for (const int g : item.groups) {
      int& used = used_[static_cast<size_t>(g)];
      if (used + item.bytes > room_) continue;
      used += item.bytes;
      chosen_[at] = g;
      if (fill(at + 1)) return true;
      used -= item.bytes;
    }
    return false;
  }

  static constexpr int kMostSteps = 200'000;
  const HardwarePlan& plan_;
  int room_;
  int steps_ = 0;
  std::vector<BiasItem> items_;
  std::vector<int> chosen_;
  std::array<int, kGroups> used_ = {};
};

}  // namespace

std::vector<std::pair<int, int>> choose_bias_groups(const HardwarePlan& plan) {
  return BiasPacker(plan).run();
}

}  // namespace edgetwin::max78
