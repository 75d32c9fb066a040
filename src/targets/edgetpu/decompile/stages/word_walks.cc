#include "targets/edgetpu/decompile/stages/word_walks.h"

#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {

std::vector<int64_t> touched_words(const Traversal& t) {
  std::vector<bool> seen(kNarrowWords, false);
  std::vector<int64_t> words;
  Traversal short_form = t;
  for (size_t k = 0; k < t.size; ++k) {
    if (t.level[k].net == 0 && k != t.short_level) short_form.level[k].count = 1;
  }
  walk(short_form, short_form.count(), [&](int64_t a) {
    const auto w = static_cast<size_t>(a / 4);
    if (seen[w]) return;
    seen[w] = true;
    words.push_back(a / 4);
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
