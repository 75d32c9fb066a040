#include "targets/edgetpu/decompile/stages/word_walks.h"

#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {

std::vector<int64_t> touched_words(const Traversal& t) {
  constexpr unsigned kBits = 64;
  std::vector<uint64_t> seen(kNarrowWords / kBits + 1, 0);
  std::vector<int64_t> words;
  Traversal outer = t;
  for (size_t k = 0; k < t.size; ++k) {
    if (t.level[k].net == 0 && k != t.short_level) outer.level[k].count = 1;
  }
  // Bytes or words that follow each other are one run.
  int64_t run = 0;
  const Level& inner = outer.level[0];
  if (t.size > 0 && t.short_count == 0 && (inner.net == 1 || inner.net == 4) && inner.count > 0) {
    run = inner.net * (inner.count - 1);
    outer.level[0].count = 1;
  }
  walk(outer, outer.count(), [&](int64_t a) {
    const auto last = static_cast<uint64_t>(a + run) / 4;
    for (auto w = static_cast<uint64_t>(a) / 4; w <= last; ++w) {
      const uint64_t bit = uint64_t{1} << w % kBits;
      if ((seen[w / kBits] & bit) != 0) continue;
      seen[w / kBits] |= bit;
      words.push_back(static_cast<int64_t>(w));
    }
  });
  return words;
}

bool part_levels(const Nest& nest, std::vector<int64_t>& words, std::vector<int64_t>& positions) {
  if (nest.in.short_count != 0) return false;
  Traversal inner = nest.in;
  Traversal outer = nest.in;
  uint64_t product = 1;
  for (size_t k = 0; k < nest.in.size; ++k) {
    const bool inside = product < nest.reduction();
    if (inside) product *= static_cast<uint64_t>(nest.in.level[k].count);
    if (!inside) inner.level[k].count = 1;
    if (inside || nest.in.level[k].net == 0) outer.level[k].count = 1;
  }
  if (product != nest.reduction() || product > kMostTraced || outer.count() > kMostTraced ||
      product * outer.count() > kMostTraced) {
    return false;
  }
  walk(inner, inner.count(), [&](int64_t a) { words.push_back(a - nest.in.start); });
  walk(outer, outer.count(), [&](int64_t a) { positions.push_back(a); });
  return true;
}

}  // namespace edgetwin::edgetpu
