#include <algorithm>
#include <numeric>

#include "targets/max78/convert/place/placing.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Eltwise;

uint64_t mask(int count, int first) {
  const uint64_t ones = count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
  return ones << first;
}

class Processors {
 public:
  explicit Processors(Draft& draft) : d_(draft), sets_(draft.tensors.size()) {}

  void run() {
    relate();
    measure();
    std::vector<size_t> order(groups_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return groups_[a].work > groups_[b].work; });
    for (const size_t g : order) choose(groups_[g]);
    for (size_t t = 0; t < d_.tensors.size(); ++t) give(static_cast<int>(t));
    use_group_zero();
  }

 private:
  struct Load {
    int first = 0, count = 0;
    int64_t columns = 0;
  };
  struct Group {
    int root = 0;
    int low = 0, high = 0;  // processors, relative to the root
    int base = 0;
    int64_t work = 0;
    std::vector<Load> loads;
  };

  bool dead(int t) const { return d_.tensor(t).producer < -1; }

  void relate() {
    for (const DraftLayer& l : d_.layers) {
      const bool sums = l.eltwise != Eltwise::none;
      int at = 0;
      for (const int s : l.sources) {
        const bool between = sums || d_.tensor(s).gap > 0;
        join(l, l.sources[0], s, between ? 0 : at);
        at += d_.tensor(s).width();
      }
      if (!l.has_weights() || l.groups > 1) join(l, l.sources[0], l.out, 0);
    }
  }

  void join(const DraftLayer& l, int a, int b, int distance) {
    if (sets_.join(a, b, distance)) return;
    d_.misfit(l.node, "its operands would have to lie on two sets of processors at once");
  }

  Group& group_of(int tensor) {
    const int root = sets_.find(tensor).root;
    for (Group& g : groups_) {
      if (g.root == root) return g;
    }
    groups_.push_back({root, 0, 0, 0, 0, {}});
    return groups_.back();
  }

  void measure() {
    for (size_t t = 0; t < d_.tensors.size(); ++t) {
      if (dead(static_cast<int>(t))) continue;
      const int delta = sets_.find(static_cast<int>(t)).delta;
      Group& g = group_of(static_cast<int>(t));
      g.low = std::min(g.low, delta);
      g.high = std::max(g.high, delta + d_.tensors[t].width());
    }
    for (const DraftLayer& l : d_.layers) {
      if (!l.has_weights()) continue;
      Group& g = group_of(l.sources[0]);
      const DraftTensor& first = d_.tensor(l.sources[0]);
      const bool parts = l.eltwise == Eltwise::none && first.gap == 0;
      int width = first.width();
      int passes = first.passes();
      if (l.sources.size() > 1 && parts) width *= static_cast<int>(l.sources.size());
      if (l.eltwise == Eltwise::none && !parts) passes *= static_cast<int>(l.sources.size());
      int64_t per = static_cast<int64_t>(l.weights.size()) * l.bits / (int64_t{72} * width);
      if (l.groups > 1) per = int64_t{passes} * l.taps() * l.bits / 72;
      g.loads.push_back({sets_.find(l.sources[0]).delta, width, per + 1});
      g.work += (per + 1) * width;
    }
  }

  void choose(Group& g) {
    const int extent = g.high - g.low;
    if (extent > 64) {
      d_.misfit(d_.tensor(g.root).name,
                "lies beside others on " + std::to_string(extent) + " processors; there are 64");
      return;
    }
    const int step = d_.planes && g.root == sets_.find(0).root ? 64 : 4;
    std::pair<int64_t, int64_t> best = {-1, 0};
    int chosen = 0;
    for (int base = 0; base + extent <= 64; base += step) {
      std::vector<int64_t> columns = columns_;
      put(g, base, columns);
      std::pair<int64_t, int64_t> cost = {0, 0};
      for (const int64_t c : columns) {
        cost.first = std::max(cost.first, c);
        cost.second += c * c;
      }
      if (best.first >= 0 && cost >= best) continue;
      best = cost;
      chosen = base;
    }
    g.base = chosen - g.low;
    put(g, chosen, columns_);
  }

  void put(const Group& g, int base, std::vector<int64_t>& columns) const {
    for (const Load& l : g.loads) {
      for (int p = 0; p < l.count; ++p) {
        columns[static_cast<size_t>(std::min(63, base - g.low + l.first + p))] += l.columns;
      }
    }
  }

  void give(int t) {
    if (dead(t)) return;
    DraftTensor& tensor = d_.tensor(t);
    if (t == 0 && d_.planes) {
      for (int c = 0; c < tensor.channels; ++c) tensor.processors |= uint64_t{1} << (4 * c);
      return;
    }
    const int first = group_of(t).base + sets_.find(t).delta;
    if (first < 0 || first + tensor.width() > 64) return;
    tensor.processors = mask(tensor.width(), first);
  }

  // The chip's group 0 must work: the smallest first processor moves all maps down.
  void use_group_zero() {
    int low = 64;
    for (const DraftLayer& l : d_.layers) {
      for (const int s : l.sources) {
        if (d_.tensor(s).processors != 0)
          low = std::min(low, __builtin_ctzll(d_.tensor(s).processors));
      }
    }
    if (low < 16 || low == 64) return;
    for (DraftTensor& t : d_.tensors) t.processors >>= low / 16 * 16;
  }

  Draft& d_;
  Sets sets_;
  std::vector<Group> groups_;
  std::vector<int64_t> columns_ = std::vector<int64_t>(64, 0);
};

}  // namespace

void choose_processors(Draft& draft) { Processors(draft).run(); }

}  // namespace edgetwin::max78
