#include "targets/edgetpu/compile/place/rest.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>

namespace edgetwin::edgetpu::compiler {
namespace {

using Less = std::function<bool(size_t, size_t)>;
using Index = std::ptrdiff_t;

// Numbers in order, equal ones as a quicksort by the median of three leaves them that sorts up to
// 30 by insertion.
class Sorted {
 public:
  Sorted(std::vector<size_t>& all, const Less& less) : a_(all), less_(less) {}
  void sort(Index first, Index last) {
    constexpr Index kInsertion = 30;
    while (last - first > kInsertion) {
      const auto [cut, swaps, equal] = split(first, last);
      if (equal) {
        first = cut;
        continue;
      }
      if (swaps == 0 && nearly_sorted(first, cut, last)) return;
      if (cut - first < last - cut) {
        sort(first, cut);
        first = cut + 1;
      } else {
        sort(cut + 1, last);
        last = cut;
      }
    }
    insert(first, last);
  }

 private:
  struct Split {
    Index cut = 0;
    int swaps = 0;
    bool equal = false;  // all before the cut are equal and least
  };
  size_t& at(Index k) { return a_[static_cast<size_t>(k)]; }
  bool less(Index x, Index y) { return less_(at(x), at(y)); }
  void swap(Index x, Index y, int& swaps) {
    std::swap(at(x), at(y));
    ++swaps;
  }
  void insert(Index first, Index last) {
    if (last - first < 2) return;
    std::stable_sort(a_.begin() + first, a_.begin() + last, less_);
  }
  void median(Index first, Index middle, Index last, int& swaps) {
    if (less(middle, first)) {
      if (less(last, middle)) return swap(first, last, swaps);
      swap(first, middle, swaps);
      if (less(last, middle)) swap(middle, last, swaps);
    } else if (less(last, middle)) {
      swap(middle, last, swaps);
      if (less(middle, first)) swap(first, middle, swaps);
    }
  }
  Split split(Index first, Index last) {
    Split made;
    Index middle = first + (last - first) / 2, i = first, j = last - 1;
    median(first, middle, j, made.swaps);
    if (!less(i, middle)) {  // the first one equals the median: something less must guard the way
      do --j;
      while (j > i && !less(j, middle));
      if (j == i) return split_equal(first, last, made.swaps);
      swap(i, j, made.swaps);
    }
    ++i;
    while (i < j) {
      while (less(i, middle)) ++i;
      do --j;
      while (!less(j, middle));
      if (i > j) break;
      swap(i, j, made.swaps);
      if (middle == i) middle = j;
      ++i;
    }
    if (i != middle && less(middle, i)) swap(i, middle, made.swaps);
    made.cut = i;
    return made;
  }
  // The first one is the least: those equal to it first.
  Split split_equal(Index first, Index last, int swaps) {
    Index i = first + 1, j = last - 1;
    if (!less(first, j)) {
      while (i != j && !less(first, i)) ++i;
      if (i == j) return {last, swaps, true};
      swap(i, j, swaps);
      ++i;
    }
    if (i == j) return {last, swaps, true};
    while (true) {
      while (!less(first, i)) ++i;
      do --j;
      while (less(first, j));
      if (i >= j) return {i, swaps, true};
      swap(i, j, swaps);
      ++i;
    }
  }
  // Nothing was out of place: whether a few insertions do for both parts. Those of a part that need
  // more stay as they are for now.
  bool nearly_sorted(Index first, Index cut, Index last) {
    const bool before = few_insertions(first, cut), after = few_insertions(cut + 1, last);
    if (!before && after) sort(first, cut);
    if (before && !after) sort(cut + 1, last);
    return before || after;
  }
  bool few_insertions(Index first, Index last) {
    constexpr int kMost = 8;
    if (last - first < 6) {
      insert(first, last);
      return true;
    }
    insert(first, first + 3);
    int made = 0;
    for (Index k = first + 3; k < last; ++k) {
      if (!less(k, k - 1)) continue;
      const Index to =
          std::upper_bound(a_.begin() + first, a_.begin() + k, at(k), less_) - a_.begin();
      std::rotate(a_.begin() + to, a_.begin() + k, a_.begin() + k + 1);
      if (++made == kMost) return k + 1 == last;
    }
    return true;
  }

  std::vector<size_t>& a_;
  const Less& less_;
};

// Tiles by the lines in use, the fewest on top.
class Heap {
 public:
  explicit Heap(const TileLines& lines) {
    for (size_t t = 0; t < lines.size(); ++t) push({static_cast<int>(t), lines[t]});
  }
  const PartInTile& top() const { return all_.front(); }
  PartInTile pop() {
    const PartInTile least = all_.front();
    all_.front() = all_.back();
    all_.pop_back();
    size_t k = 0;
    while (2 * k + 1 < all_.size()) {
      size_t child = 2 * k + 1;
      if (child + 1 < all_.size() && all_[child + 1].lines < all_[child].lines) ++child;
      if (all_[child].lines > all_[k].lines) break;
      std::swap(all_[k], all_[child]);
      k = child;
    }
    return least;
  }
  void push(PartInTile tile) {
    all_.push_back(tile);
    for (size_t k = all_.size() - 1; k > 0 && all_[(k - 1) / 2].lines > all_[k].lines;
         k = (k - 1) / 2) {
      std::swap(all_[k], all_[(k - 1) / 2]);
    }
  }
  TileLines lines() const {
    TileLines all{};
    for (const PartInTile& t : all_) all[static_cast<size_t>(t.tile)] = t.lines;
    return all;
  }

 private:
  std::vector<PartInTile> all_;
};

std::vector<PartInTile> parts_of(Heap& heap, const RestingBlock& block, int64_t most) {
  std::vector<PartInTile> taken;
  int64_t room = 0;
  while (room < block.lines && taken.size() < std::tuple_size_v<TileLines>) {
    taken.push_back(heap.pop());
    room += most - taken.back().lines;
    if (block.whole) break;
  }
  if (room < block.lines) return {};
  std::vector<PartInTile> parts(taken.rbegin(), taken.rend());
  std::stable_sort(parts.begin(), parts.end(),
                   [](const PartInTile& a, const PartInTile& b) { return a.lines < b.lines; });
  int64_t left = block.lines;
  for (PartInTile& part : parts) {
    const int64_t lines = std::min(left, most - part.lines);
    left -= lines;
    for (PartInTile& t : taken) t.lines += t.tile == part.tile ? lines : 0;
    part.lines = lines;
  }
  for (const PartInTile& t : taken) heap.push(t);
  return parts;
}

}  // namespace

std::optional<std::vector<std::vector<PartInTile>>> resting_tiles(
    const std::vector<RestingBlock>& blocks, const TileLines& used, int64_t most) {
  std::vector<size_t> order(blocks.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  const Less less = [&](size_t x, size_t y) {
    const auto key = [&](const RestingBlock& b) {
      const int64_t all =
          b.fixed ? std::accumulate(b.in_tiles.begin(), b.in_tiles.end(), int64_t{0}) : 0;
      return std::tuple(-b.uses, b.whole || b.fixed ? 0 : 1, -b.lines, -all);
    };
    return key(blocks[x]) < key(blocks[y]);
  };
  Sorted(order, less).sort(0, static_cast<Index>(order.size()));
  std::vector<std::vector<PartInTile>> all(blocks.size());
  Heap heap(used);
  for (const size_t k : order) {
    const RestingBlock& b = blocks[k];
    if (b.fixed || b.table) {
      TileLines lines = heap.lines(), with = lines;
      for (size_t t = 0; t < lines.size(); ++t) with[t] += b.in_tiles[t];
      const bool room = b.fixed || std::ranges::max(with) <= most;
      heap = Heap(room ? with : lines);
      if (room) continue;
    }
    all[k] = parts_of(heap, b, most);
    if (all[k].empty()) return std::nullopt;
  }
  return all;
}

}  // namespace edgetwin::edgetpu::compiler
