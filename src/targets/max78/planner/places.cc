// Offsets: tensors that are alive together and share a data memory share no byte.
#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "targets/max78/planner/tensors.h"

namespace edgetwin::max78 {
namespace {

class PlaceSearch {
 public:
  PlaceSearch(const HardwarePlan& plan, TensorTable& t, const SearchSettings& s)
      : plan_(plan),
        t_(t),
        limit_(plan.chip->instance_bytes()),
        least_room_(s.least_room),
        random_(s.seed) {}

  bool run(PlaceMisfit& why) {
    make_blocks();
    if (!check_room(why)) return false;
    if (least_room_ ? !search_least() : !search()) {
      why.text = "no order of the tensors in data memory was found, though each moment has room";
      return false;
    }
    for (const PlanBlock& b : blocks_) {
      for (const int i : b.tensors) {
        PlanTensor& t = t_.tensors[static_cast<size_t>(i)];
        t.offset = t.fixed_offset.value_or(b.offset + 4 * t.slot);
      }
    }
    t_.data_bytes = room();
    return true;
  }

 private:
  void make_blocks() {
    std::vector<int> of_block;
    for (size_t i = 0; i < t_.tensors.size(); ++i) {
      const PlanTensor& t = t_.tensors[i];
      if (!t.used) continue;
      int at = -1;
      if (t.block >= 0) {
        for (size_t k = 0; k < of_block.size(); ++k) {
          if (of_block[k] == t.block) at = static_cast<int>(k);
        }
      }
      if (at < 0) {
        at = static_cast<int>(blocks_.size());
        PlanBlock b;
        b.first = t.first;
        b.last = t.last;
        blocks_.push_back(b);
        of_block.push_back(t.block >= 0 ? t.block : -2);
      }
      add(blocks_[static_cast<size_t>(at)], t, static_cast<int>(i));
    }
    buffer();
    if (plan_.options.overlap_data) find_in_place();
  }

  static void add(PlanBlock& b, const PlanTensor& t, int i) {
    b.tensors.push_back(i);
    b.bytes = std::max(b.bytes, t.bytes * (t.gap + 1));
    b.before = std::max(b.before, t.before);
    b.first = std::min(b.first, t.first);
    b.last = std::max(b.last, t.last);
    if (t.fixed_offset) b.fixed = *t.fixed_offset - 4 * t.slot;
    for (int m = 0; m < 16; ++m) {
      if (((t.map >> (4 * m)) & 0xfU) != 0) b.memories |= 1U << m;
    }
  }

  void buffer() {
    if (!plan_.network->data_buffer) return;
    const ai8x::DataBuffer& d = *plan_.network->data_buffer;
    PlanBlock b;
    b.first = -1;
    b.last = static_cast<int>(plan_.order.size());
    b.fixed = d.offset;
    b.bytes = int64_t{4} * d.dim.h * d.dim.w * ((d.channels + 63) / 64);
    for (int m = 0; m < 16; ++m) {
      if (((d.processors >> (4 * m)) & 0xfU) != 0) b.memories |= 1U << m;
    }
    blocks_.push_back(b);
  }

  // A layer of one source that is read for the last time may write over what it has read.
  void find_in_place() {
    for (const int i : plan_.order) {
      const auto& from = t_.sources[static_cast<size_t>(i)];
      const HardwareLayer& l = plan_.layer(i);
      if (from.size() != 1 || l.op == Operator::conv_transpose2d || l.output_width != 8) continue;
      PlanBlock* in = block_of(from[0]);
      PlanBlock* out = block_of(i + 1);
      if (in == nullptr || out == nullptr || in == out) continue;
      if (in->last == out->first && in->tensors.size() == 1 && out->tensors.size() == 1 &&
          out->bytes <= in->bytes) {
        out->after = static_cast<int>(in - blocks_.data());
      }
    }
  }

  PlanBlock* block_of(int tensor) {
    for (PlanBlock& b : blocks_) {
      if (std::ranges::find(b.tensors, tensor) != b.tensors.end()) return &b;
    }
    return nullptr;
  }

  bool in_place(const PlanBlock& a, const PlanBlock& b) const {
    return (a.after >= 0 && &blocks_[static_cast<size_t>(a.after)] == &b) ||
           (b.after >= 0 && &blocks_[static_cast<size_t>(b.after)] == &a);
  }

  static bool together(const PlanBlock& a, const PlanBlock& b) {
    return a.first <= b.last && b.first <= a.last && (a.memories & b.memories) != 0;
  }

  bool check_room(PlaceMisfit& why) const {
    for (size_t k = 0; k < plan_.order.size(); ++k) {
      const int i = static_cast<int>(k);
      for (int m = 0; m < 16; ++m) {
        int64_t bytes = 0;
        std::string sum;
        for (const PlanBlock& b : blocks_) {
          if (b.first > i || b.last < i || ((b.memories >> m) & 1U) == 0) continue;
          if (b.after >= 0 && b.first == i) continue;
          bytes += b.bytes + b.before;
          sum += (sum.empty() ? "" : " + ") + std::to_string(b.bytes + b.before);
        }
        if (bytes <= limit_) continue;
        why.missing = bytes - limit_;
        why.text =
            ai8x::layer_name(*plan_.network, static_cast<size_t>(plan_.order[k])) + " needs " +
            sum + (sum.find('+') == std::string::npos ? "" : " = " + std::to_string(bytes)) +
            " bytes in data memory " + std::to_string(m) + ", which has " + std::to_string(limit_);
        return false;
      }
    }
    return true;
  }

  bool try_order(const std::vector<size_t>& order, bool high_first) {
    std::vector<bool> placed(blocks_.size(), false);
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (!blocks_[i].fixed) continue;
      blocks_[i].offset = *blocks_[i].fixed;
      placed[i] = true;
    }
    for (const size_t i : order) {
      PlanBlock& b = blocks_[i];
      if (placed[i]) continue;
      const bool high = high_first && (b.first < 0 || random_.next() % 4 == 0);
      if (!put(b, placed, high)) return false;
      placed[i] = true;
    }
    return true;
  }

  // The lowest free place, or the highest.
  bool put(PlanBlock& b, const std::vector<bool>& placed, bool high) {
    const int64_t size = b.bytes + b.before;
    int64_t at = high ? (limit_ - size) / 4 * 4 : 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t k = 0; k < blocks_.size(); ++k) {
        const PlanBlock& o = blocks_[k];
        if (!placed[k] || &o == &b || !together(o, b) || allowed(o, b, at)) continue;
        const int64_t from = o.offset - o.before, end = o.offset + o.bytes;
        if (at >= end || from >= at + size) continue;
        at = high ? from - size : end;
        moved = true;
        if (at < 0 || at + size > limit_) return false;
      }
    }
    if (at < 0 || at + size > limit_) return false;
    b.offset = at + b.before;
    return true;
  }

  // A result may begin before the picture that it is computed from, and end in it.
  bool allowed(const PlanBlock& o, const PlanBlock& b, int64_t at) const {
    if (!in_place(o, b)) return false;
    const bool b_is_result = b.after >= 0 && &blocks_[static_cast<size_t>(b.after)] == &o;
    return b_is_result ? at + kInPlaceBytes <= o.offset : o.offset + kInPlaceBytes <= at;
  }

  bool search() {
    std::vector<size_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    if (try_order(order, false) || try_order(order, true)) return true;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return blocks_[a].bytes > blocks_[b].bytes; });
    if (try_order(order, false) || try_order(order, true)) return true;
    for (int round = 0; round < 4000; ++round) {
      std::swap(order[random_.next() % order.size()], order[random_.next() % order.size()]);
      if (try_order(order, round % 2 != 0)) return true;
    }
    return false;
  }

  // Bytes of the sixteen memories, each up to the last one in use.
  int64_t room() const {
    int64_t bytes = 0;
    for (int m = 0; m < 16; ++m) {
      int64_t end = 0;
      for (const PlanBlock& b : blocks_) {
        if (((b.memories >> m) & 1U) != 0) end = std::max(end, b.offset + b.bytes);
      }
      bytes += end;
    }
    return bytes;
  }

  // The order of the least room among many.
  bool search_least() {
    constexpr int kOrders = 400;
    if (!search()) return false;
    std::vector<PlanBlock> best = blocks_;
    int64_t least = room();
    std::vector<size_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (int round = 0; round < kOrders; ++round) {
      if (try_order(order, false) && room() < least) {
        least = room();
        best = blocks_;
      }
      std::swap(order[random_.next() % order.size()], order[random_.next() % order.size()]);
    }
    blocks_ = std::move(best);
    return true;
  }

  const HardwarePlan& plan_;
  TensorTable& t_;
  int64_t limit_;
  bool least_room_;
  XorShift32 random_;
  std::vector<PlanBlock> blocks_;
};

}  // namespace

bool choose_places(const HardwarePlan& plan, TensorTable& t, const SearchSettings& settings,
                   PlaceMisfit& why) {
  return PlaceSearch(plan, t, settings).run(why);
}

}  // namespace edgetwin::max78
