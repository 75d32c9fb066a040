#include "targets/edgetpu/decompile/sizes/pool_size.h"

#include <bit>
#include <cmath>

#include "targets/edgetpu/decompile/sizes/size_candidates.h"

namespace edgetwin::edgetpu {
namespace {

// How many positions one output is the mean of, and the window that they make: the levels tell its
// sides, else it is a square of what the multiplier divides by.
int find_pool_window(DecompiledLayer& l) {
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
  if (int64_t{l.in.h} * l.in.w == count) {
    // The whole picture; where it is one position per tile, tiles share the channels.
    l.kernel_h = l.in.h;
    l.kernel_w = l.in.w;
    return take_candidate(l, {1, 1, 1, 1, DecompiledLayer::Pad::valid});
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
