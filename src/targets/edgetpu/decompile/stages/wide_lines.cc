#include "targets/edgetpu/decompile/stages/wide_lines.h"

#include <algorithm>
#include <bit>

#include "targets/edgetpu/decompile/stages/replay_bounds.h"

namespace edgetwin::edgetpu {

void WideLines::keep(const CopyPattern& c, const Narrow& narrow) {
  Lines lines;
  lines.count = static_cast<int64_t>(std::min<uint64_t>(c.b.count(), kMostWords));
  if (c.b.lowest() != c.b.start) return;
  forget(c.b, c.tiles);
  // More than wide memory has room for: no real program.
  const uint64_t words = c.a.count() * static_cast<uint64_t>(std::popcount(c.tiles));
  if (kept_words_ + words > kMostKept) return;
  kept_words_ += words;
  each_tile(c.tiles, [&](size_t tile) {
    lines.words.clear();
    walk(c.a, c.a.count(), [&](int64_t a) { lines.words.push_back(narrow.at(tile, a)); });
    lines_[tile][c.b.start] = lines;
  });
}

void WideLines::forget(const Traversal& t, uint32_t tiles) {
  each_tile(tiles, [&](size_t tile) {
    std::erase_if(lines_[tile], [&](const auto& l) {
      const bool gone = l.first <= t.highest() && t.lowest() < l.first + l.second.count;
      if (gone) kept_words_ -= l.second.words.size();
      return gone;
    });
  });
}

void WideLines::receive(const Traversal& lines, uint32_t tiles) {
  constexpr uint32_t kAllTiles = 0xFFFF;
  forget(lines, tiles == 0 ? kAllTiles : tiles);  // none: the scalar core names it
  walk(lines, kMostLines, [&](int64_t line) { from_ring_.insert(line); });
  if (sending_) {
    for (auto& w : wanted_) w.clear();
    sending_ = false;
  }
  each_tile(tiles, [&](size_t tile) {
    wanted_[tile].push_back(
        {lines.start, static_cast<int64_t>(std::min<uint64_t>(lines.count(), kMostLines))});
  });
}

bool WideLines::send(size_t source, uint32_t destination, const Traversal& lines) {
  sending_ = true;
  const auto count = static_cast<int64_t>(std::min<uint64_t>(lines.count(), kMostLines));
  std::vector<std::pair<int64_t, Lines>> sent;  // from the first line that is sent
  int64_t known = 0;
  const auto& kept = lines_[source];
  for (auto l = kept.lower_bound(lines.start); l != kept.end() && l->first == lines.start + known;
       ++l) {
    if (known + l->second.count > count) break;
    sent.emplace_back(known, l->second);
    known += l->second.count;
  }
  const bool all = known == count && lines.lowest() == lines.start;
  if (!all) sent.clear();
  each_tile(destination, [&](size_t tile) { arrive(tile, sent, count); });
  return all;
}

void WideLines::arrive(size_t tile, const std::vector<std::pair<int64_t, Lines>>& sent,
                       int64_t count) {
  auto& wanted = wanted_[tile];
  if (wanted.empty()) return;
  Wanted& w = wanted.front();
  for (const auto& [at, lines] : sent) {
    if (at + lines.count > w.count || kept_words_ + lines.words.size() > kMostKept) break;
    kept_words_ += lines.words.size();
    lines_[tile][w.first + at] = lines;
  }
  w.first += count, w.count -= count;
  if (w.count <= 0) wanted.erase(wanted.begin());
}

std::optional<WideLines::Words> WideLines::kept(const CopyPattern& c, size_t count) const {
  constexpr int64_t kLineWords = 64;
  Words all;
  bool known = c.a_buffers == 0 && c.tiles != 0;
  each_tile(c.tiles, [&](size_t tile) {
    auto l = lines_[tile].upper_bound(c.a.start);
    if (l == lines_[tile].begin()) return void(known = false);
    --l;
    const auto skipped = static_cast<size_t>((c.a.start - l->first) * kLineWords);
    const auto& words = l->second.words;
    known = known && skipped < words.size();
    for (size_t n = skipped; known && n < words.size() && n < skipped + count; ++n) {
      all[tile].push_back(words[n]);
    }
  });
  if (!known) return std::nullopt;
  return all;
}

std::vector<uint32_t> WideLines::constants(size_t tile, int64_t line) const {
  std::vector<uint32_t> found;
  const auto& lines = lines_[tile];
  const auto behind = lines.upper_bound(line);
  if (behind == lines.begin()) return found;
  const auto l = std::prev(behind);
  if (line >= l->first + l->second.count) return found;
  for (const OwnedWord& c : l->second.words) {
    if (c.owner == kConstant && found.size() < kMostPatterns) found.push_back(c.value);
  }
  return found;
}

}  // namespace edgetwin::edgetpu
