#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "targets/max78/convert/place/placing.h"

namespace edgetwin::max78 {
namespace {

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
      Error& e = d_.misfit(d_.layer(i).node,
                           "layer '" + d_.layer(i).name + "' needs " + std::to_string(most) +
                               " bytes in one data memory, which has " + std::to_string(limit_));
      e.details.push_back(sum + " = " + std::to_string(most));
      e.hint = d_.small() ? "Make the pictures smaller, or take the MAX78002 with 81920 bytes."
                          : "Make the pictures smaller.";
    }
    return fits;
  }

  std::string text_of(const Block& b) const {
    const DraftTensor& t = d_.tensor(b.tensors[0]);
    if (b.tensors[0] == 0 && d_.planes)
      return "'input' " + std::to_string(t.h) + "*" + std::to_string(t.w);
    std::string text = "'" + t.name + "' " + std::to_string(t.h) + "*" + std::to_string(t.w) + "*4";
    if (t.passes() > 1) text += "*" + std::to_string(t.passes()) + " passes";
    if (t.gap > 0) text += "*" + std::to_string(t.gap + 1) + " operands";
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

}  // namespace

void choose_offsets(Draft& draft) { Offsets(draft).run(); }

}  // namespace edgetwin::max78
