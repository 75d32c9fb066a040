// Processors and places in data memory. A tensor's processors are those of every layer that reads
// it, and their kernel memories hold that layer's weights: tensors are spread so that the fullest
// kernel memory is as empty as can be. Then offsets: tensors that are alive together and share a
// data memory share no byte.
#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "targets/max78/convert/draft.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Eltwise;

std::string number(int64_t n) { return std::to_string(n); }

// Sets of tensors with a distance to the first of the set.
class Sets {
 public:
  explicit Sets(size_t n) : parent_(n), delta_(n, 0) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  struct Found {
    int root = 0, delta = 0;
  };
  Found find(int i) const {
    Found f{i, 0};
    while (parent_[static_cast<size_t>(f.root)] != f.root) {
      f.delta += delta_[static_cast<size_t>(f.root)];
      f.root = parent_[static_cast<size_t>(f.root)];
    }
    return f;
  }
  // b stands `distance` behind a. False if they stand otherwise already.
  bool join(int a, int b, int distance) {
    const Found x = find(a);
    const Found y = find(b);
    if (x.root == y.root) return y.delta - x.delta == distance;
    parent_[static_cast<size_t>(y.root)] = x.root;
    delta_[static_cast<size_t>(y.root)] = x.delta + distance - y.delta;
    return true;
  }

 private:
  std::vector<int> parent_, delta_;
};

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
                "lies beside others on " + number(extent) + " processors; there are 64");
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

// Tensors that begin at one offset.
struct Block {
  std::vector<int> tensors;
  int64_t bytes = 0;
  uint32_t memories = 0;  // data memories in use
  int first = 0, last = 0;
  int64_t offset = 0;
  bool placed = false;
};

class Offsets {
 public:
  explicit Offsets(Draft& draft)
      : d_(draft), limit_(ai8x::limits(draft.device).instance_bytes), sets_(draft.tensors.size()) {}

  void run() {
    make_blocks();
    if (!check_room()) return;
    if (!search()) {
      d_.misfit("",
                "no order of its pictures in data memory was found, though each moment has room");
      return;
    }
    for (const Block& b : blocks_) {
      for (const int t : b.tensors) d_.tensor(t).offset = b.offset + 4 * d_.tensor(t).slot;
    }
  }

 private:
  int64_t bytes_of(int t) const {
    const DraftTensor& x = d_.tensor(t);
    if (t == 0 && d_.planes) return (int64_t{x.h} * x.w + 3) / 4 * 4;
    return x.bytes() * (x.gap + 1);
  }

  void make_blocks() {
    for (const DraftLayer& l : d_.layers) {
      for (const int s : l.sources) sets_.join(l.sources[0], s, 0);
    }
    std::vector<int> block_of(d_.tensors.size(), -1);
    for (size_t i = 0; i < d_.tensors.size(); ++i) {
      const auto t = static_cast<int>(i);
      if (d_.tensor(t).producer < -1) continue;
      const auto root = static_cast<size_t>(sets_.find(t).root);
      if (block_of[root] < 0) {
        block_of[root] = static_cast<int>(blocks_.size());
        Block b;
        b.first = static_cast<int>(d_.layers.size());
        b.last = -1;
        blocks_.push_back(b);
      }
      add(blocks_[static_cast<size_t>(block_of[root])], t);
    }
  }

  void add(Block& b, int t) {
    const DraftTensor& x = d_.tensor(t);
    b.tensors.push_back(t);
    b.bytes = std::max(b.bytes, bytes_of(t));
    b.first = std::min(b.first, x.producer);
    b.last = std::max(b.last, x.output ? static_cast<int>(d_.layers.size()) : x.producer);
    for (size_t i = 0; i < d_.layers.size(); ++i) {
      const auto& s = d_.layers[i].sources;
      if (std::find(s.begin(), s.end(), t) != s.end())
        b.last = std::max(b.last, static_cast<int>(i));
    }
    for (int p = 0; p < 64; ++p) {
      if (((x.processors >> p) & 1U) != 0) b.memories |= 1U << (p / 4);
    }
  }

  static bool together(const Block& a, const Block& b) {
    return a.first <= b.last && b.first <= a.last && (a.memories & b.memories) != 0;
  }

  // The fullest data memory while each layer runs.
  bool check_room() {
    bool fits = true;
    for (int i = 0; i < static_cast<int>(d_.layers.size()); ++i) {
      int64_t most = 0;
      std::string sum;
      for (int m = 0; m < 16; ++m) {
        int64_t bytes = 0;
        std::string text;
        for (const Block& b : blocks_) {
          if (b.first > i || b.last < i || ((b.memories >> m) & 1U) == 0) continue;
          bytes += b.bytes;
          text += (text.empty() ? "" : " + ") + text_of(b);
        }
        if (bytes > most) {
          most = bytes;
          sum = text;
        }
      }
      if (most <= limit_) continue;
      fits = false;
      Error& e =
          d_.misfit(d_.layer(i).node, "layer '" + d_.layer(i).name + "' needs " + number(most) +
                                          " bytes in one data memory, which has " + number(limit_));
      e.details.push_back(sum + " = " + number(most));
      e.hint = d_.small() ? "Make the pictures smaller, or take the MAX78002 with 81920 bytes."
                          : "Make the pictures smaller.";
    }
    return fits;
  }

  std::string text_of(const Block& b) const {
    const DraftTensor& t = d_.tensor(b.tensors[0]);
    if (b.tensors[0] == 0 && d_.planes) return "'input' " + number(t.h) + "*" + number(t.w);
    std::string text = "'" + t.name + "' " + number(t.h) + "*" + number(t.w) + "*4";
    if (t.passes() > 1) text += "*" + number(t.passes()) + " passes";
    if (t.gap > 0) text += "*" + number(t.gap + 1) + " operands";
    return text;
  }

  bool try_order(const std::vector<size_t>& order) {
    for (Block& b : blocks_) b.placed = false;
    for (const size_t i : order) {
      Block& b = blocks_[i];
      int64_t at = 0;
      bool moved = true;
      while (moved) {
        moved = false;
        for (const Block& o : blocks_) {
          if (!o.placed || !together(o, b)) continue;
          if (at < o.offset + o.bytes && o.offset < at + b.bytes) {
            at = o.offset + o.bytes;
            moved = true;
          }
        }
      }
      if (at + b.bytes > limit_) return false;
      b.offset = at;
      b.placed = true;
    }
    return true;
  }

  bool search() {
    std::vector<size_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (try_order(order)) return true;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return blocks_[a].bytes > blocks_[b].bytes; });
    if (try_order(order)) return true;
    XorShift32 random(78);
    for (int round = 0; round < 2000; ++round) {
      std::swap(order[random.next() % order.size()], order[random.next() % order.size()]);
      if (try_order(order)) return true;
    }
    return false;
  }

  Draft& d_;
  int64_t limit_;
  Sets sets_;
  std::vector<Block> blocks_;
};

// An input too large in HWC format, four channels to a word, may fit with a channel in each data
// memory, where only the first layer reads it.
void choose_format(Draft& d) {
  const DraftTensor& in = d.tensor(0);
  const int64_t limit = ai8x::limits(d.device).instance_bytes;
  if (in.bytes() <= limit || in.channels > 16 || d.layers.empty() || d.readers(0) != 1) return;
  const DraftLayer& first = d.layers[0];
  d.planes = first.sources == std::vector<int>{0} && first.has_weights() && first.groups == 1;
}

}  // namespace

void place(Draft& draft) {
  choose_format(draft);
  Processors(draft).run();
  if (draft.misfits.empty()) Offsets(draft).run();
}

}  // namespace edgetwin::max78
