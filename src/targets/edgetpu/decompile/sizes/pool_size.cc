#include "targets/edgetpu/decompile/sizes/pool_size.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>

#include "targets/edgetpu/decompile/sizes/size_candidates.h"

namespace edgetwin::edgetpu {
namespace {

// How many positions one output is the mean of, and the window that they make: the levels tell its
// sides, else it is a square of what the multiplier divides by.
int find_pool_window(DecompiledLayer& l) {
  if (!l.seen.empty()) {
    l.kernel_h = l.seen.front().kernel_h;
    l.kernel_w = l.seen.front().kernel_w;
    return l.kernel_h * l.kernel_w;
  }
  if (l.numbers.kind == 0x1870) {
    const auto a = static_cast<int>(l.numbers.loop[0]);
    const auto b = static_cast<int>(l.numbers.loop[1]);
    l.kernel_w = a;
    l.kernel_h = b;
    return a * b;
  }
  const int count = static_cast<int>(std::lround(1.0F / l.numbers.multiplier));
  l.kernel_w = l.kernel_h = static_cast<int>(std::lround(std::sqrt(static_cast<double>(count))));
  return count;
}

// Positions of the output by the number of places in their windows, or words by multiplier.
using PlaceCounts = std::map<int64_t, int64_t>;
using WordsOf = std::map<float, int64_t, std::greater<>>;

// A window whose taps are the two innermost loops: each instruction says how far its outputs are
// apart. 0: none of them has several.
class WindowPool {
 public:
  WindowPool(DecompiledLayer& l, const SizeContext& context) : l_(l) {
    for (const size_t s : l.steps) add(context.replay.steps.nest(s));
    if (l.seen.empty()) return;
    stride_h_ = l.seen.front().stride_h;
    stride_w_ = l.seen.front().stride_w;
  }

  // False: no size, stride and padding make as many means of as many places.
  bool find() {
    constexpr int kMostSide = 65536;
    const int largest = std::max({l_.in.h, l_.in.w, l_.kernel_h, l_.kernel_w});
    const int least = std::min({l_.in.h, l_.in.w, l_.kernel_h, l_.kernel_w});
    constexpr size_t kMostMultipliers = 1024;
    const bool few = words_.size() <= kMostMultipliers;
    if (!usable_ || !few || least <= 0 || largest > kMostSide) return false;
    for (const int sh : strides(stride_h_)) {
      for (const int sw : strides(stride_w_)) {
        for (const bool same : {false, true}) {
          if (fits(sh, sw, same)) return true;
        }
      }
    }
    return false;
  }

 private:
  void add(const Nest& n) {
    constexpr size_t kX = 2;
    constexpr size_t kY = 3;
    int64_t words = std::popcount(n.tiles);
    for (const Level& level : n.out.levels()) words *= level.count;
    usable_ = usable_ && n.multiplier > 0.0F && std::isfinite(n.multiplier);
    if (usable_) words_[n.multiplier] += words;
    if (n.loop[kX] > 1) stride_w_ = n.weight.level[kX].net;
    const int64_t row = n.weight.level[1].net;
    if (n.loop[kY] > 1 && row > 0) stride_h_ = n.weight.level[kY].net / row;
  }

  static std::vector<int> strides(int64_t seen) {
    constexpr int64_t kMost = 64;
    if (seen > 0 && seen <= kMost) return {static_cast<int>(seen)};
    return {1, 2, 3, 4, 5, 6, 7, 8};
  }

  bool fits(int sh, int sw, bool same) {
    SizeCandidate c{same ? same_size(l_.in.h, sh) : valid_size(l_.in.h, l_.kernel_h, sh),
                    same ? same_size(l_.in.w, sw) : valid_size(l_.in.w, l_.kernel_w, sw), sh, sw,
                    same ? DecompiledLayer::Pad::same : DecompiledLayer::Pad::valid};
    if (c.h <= 0 || c.w <= 0) return false;
    if (same) {
      c.top = std::max(0, (c.h - 1) * sh + l_.kernel_h - l_.in.h) / 2;
      c.left = std::max(0, (c.w - 1) * sw + l_.kernel_w - l_.in.w) / 2;
    }
    const PlaceCounts places = places_of(c);
    if (!is_seen(c) || !made(places)) return false;
    take_candidate(l_, c);
    l_.means.clear();
    auto word = words_.rbegin();
    for (auto place = places.rbegin(); place != places.rend(); ++place, ++word) {
      l_.means.push_back({static_cast<int>(place->first), word->first});
    }
    // The mean of a whole window, if there is one.
    l_.numbers.multiplier = words_.rbegin()->first;
    return true;
  }

  // Whether the size and the padding are those of the words that are read.
  bool is_seen(const SizeCandidate& c) const {
    return std::ranges::all_of(l_.seen, [&](const SeenWindow& w) {
      return c.h == w.out_h && c.w == w.out_w && c.top == w.top && c.left == w.left;
    });
  }

  // Outputs along one side by the places in their windows.
  static PlaceCounts inside(int outputs, int stride, int kernel, int front, int size) {
    PlaceCounts places;
    for (int k = 0; k < outputs; ++k) {
      const int from = k * stride - front;
      ++places[std::min(size, from + kernel) - std::max(0, from)];
    }
    return places;
  }

  PlaceCounts places_of(const SizeCandidate& c) const {
    const PlaceCounts rows = inside(c.h, c.stride_h, l_.kernel_h, c.top, l_.in.h);
    const PlaceCounts columns = inside(c.w, c.stride_w, l_.kernel_w, c.left, l_.in.w);
    PlaceCounts places;
    // More than there are multipliers of do not fit.
    if (std::max(rows.size(), columns.size()) > words_.size()) return places;
    for (const auto& [y, count_y] : rows) {
      for (const auto& [x, count_x] : columns) places[y * x] += count_y * count_x;
    }
    return places;
  }

  // The larger the multiplier, the fewer places.
  bool made(const PlaceCounts& places) const {
    constexpr double kRounding = 1e-5;
    const int64_t words = padded_channels(l_.in.c) / 4;
    if (places.empty() || places.size() != words_.size()) return false;
    const double whole = product(places.begin()->first, words_.begin()->first);
    auto word = words_.begin();
    for (const auto& [count, positions] : places) {
      if (count <= 0 || word->second != positions * words) return false;
      if (std::abs(product(count, word->first) / whole - 1.0) > kRounding) return false;
      ++word;
    }
    return true;
  }
  static double product(int64_t count, float multiplier) {
    return static_cast<double>(count) * static_cast<double>(multiplier);
  }

  DecompiledLayer& l_;
  WordsOf words_;
  int64_t stride_h_ = 0, stride_w_ = 0;
  bool usable_ = true;
};

std::vector<SizeCandidate> pool_candidates(const DecompiledLayer& l) {
  std::vector<SizeCandidate> all;
  for (const int s : {l.kernel_h, 1, 2, 3, 4}) {
    all.push_back({valid_size(l.in.h, l.kernel_h, s), valid_size(l.in.w, l.kernel_w, s), s, s,
                   DecompiledLayer::Pad::valid});
    all.push_back({same_size(l.in.h, s), same_size(l.in.w, s), s, s, DecompiledLayer::Pad::same});
  }
  return all;
}

}  // namespace

void size_pool(DecompiledLayer& l, const SizeContext& context) {
  l.out.c = l.in.c;
  const int count = find_pool_window(l);
  if (count <= 0) {
    l.problem = "its multiplier is that of no window";
    return;
  }
  const bool window = l.numbers.kind == 0x1870 &&
                      (l.kernel_h < l.in.h || l.kernel_w < l.in.w || l.stages.size() > 1);
  if (window && WindowPool(l, context).find()) return;
  if (int64_t{l.in.h} * l.in.w == count) {
    // The whole picture; where it is one position per tile, tiles share the channels.
    l.kernel_h = l.in.h;
    l.kernel_w = l.in.w;
    return take_candidate(l, {1, 1, 1, 1, DecompiledLayer::Pad::valid});
  }
  if (!l.seen.empty()) {
    l.problem = "its window is not where the words lie that it reads";
    return;
  }
  int64_t pixels = 0;
  for (const size_t s : l.steps) {
    const Nest& n = context.replay.steps.nest(s);
    // One position in several tiles: channels are spread.
    pixels += positions_of(n).pixels * std::popcount(n.tiles);
  }
  for (const SizeCandidate& c : pool_candidates(l)) {
    if (c.h > 0 && c.w > 0 && int64_t{c.h} * c.w == pixels) return take_candidate(l, c);
  }
  l.problem = std::to_string(pixels) + " positions are no pool of " + std::to_string(l.in.h) +
              " x " + std::to_string(l.in.w) + " by " + std::to_string(l.kernel_h) + " x " +
              std::to_string(l.kernel_w);
}

}  // namespace edgetwin::edgetpu
