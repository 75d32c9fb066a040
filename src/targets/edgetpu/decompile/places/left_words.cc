#include "targets/edgetpu/decompile/places/left_words.h"

#include <algorithm>

#include "formats/darwinn/relayout.h"

namespace edgetwin::edgetpu {

std::vector<uint32_t> places_of_bytes(const darwinn::Layer& output) {
  const auto relayout = darwinn::Relayout::make(output);
  constexpr size_t kMost = size_t{1} << 26U;
  if (!relayout.ok() || relayout->tiled_bytes() > kMost || relayout->dense_bytes() > kMost)
    return {};
  constexpr unsigned kBits = 8;
  std::vector<uint32_t> places(relayout->dense_bytes(), 0);
  Bytes tiled(relayout->tiled_bytes()), dense(relayout->dense_bytes());
  for (unsigned digit = 0; digit < sizeof(uint32_t); ++digit) {
    for (size_t n = 0; n < tiled.size(); ++n) {
      tiled[n] = static_cast<std::byte>(static_cast<uint32_t>(n) >> (kBits * digit));
    }
    relayout->to_dense(tiled, dense);
    for (size_t n = 0; n < dense.size(); ++n) {
      places[n] |= static_cast<uint32_t>(dense[n]) << (kBits * digit);
    }
  }
  return places;
}

std::vector<MadeAt> in_order(std::vector<TileWords> words, bool by_tile, int64_t bytes) {
  if (by_tile) {
    std::ranges::stable_sort(words, {}, [](const TileWords& t) { return t.tile; });
  }
  std::vector<MadeAt> all, padded;
  for (const TileWords& t : words) {
    all.insert(all.end(), t.made.begin(), t.made.end());
    padded.insert(padded.end(), t.made.begin(), t.made.end());
    if (t.made.size() % 2 != 0) padded.push_back({});
  }
  const auto fits = [&](const std::vector<MadeAt>& m) {
    return static_cast<int64_t>(m.size() * kSentWord) == bytes;
  };
  if (fits(padded)) return padded;
  return fits(all) ? all : std::vector<MadeAt>{};
}

std::vector<std::vector<MadeAt>> words_by_output(const LayerSearch& search) {
  const darwinn::Executable& e = search.inference;
  std::vector<std::vector<MadeAt>> all(e.outputs.size());
  for (size_t o = 0; o < all.size(); ++o) {
    constexpr int kMost = 1 << 26;
    const int bytes = e.outputs[o].size_bytes;
    if (bytes > 0 && bytes <= kMost) all[o].resize(static_cast<size_t>(bytes) / kSentWord);
  }
  if (!e.dma_hints) return {};
  size_t next = 0;
  const auto& sent = search.result.replay.sent;
  for (const darwinn::DmaHint& h : e.dma_hints->hints) {
    if (h.kind != darwinn::HintKind::descriptor || h.direction != darwinn::Direction::from_device) {
      continue;
    }
    std::vector<TileWords> words;
    std::vector<MadeAt> left;
    int64_t count = 0;
    while (left.empty() && next < sent.size() && count * int64_t{kSentWord} < h.size) {
      const Sent& s = sent[next++];
      count += s.count;
      words.insert(words.end(), s.made.begin(), s.made.end());
      // Each tile may leave a word more.
      constexpr int64_t kMostFiller = 16 * kSentWord;
      if (count * int64_t{kSentWord} + kMostFiller >= h.size) left = in_order(words, true, h.size);
    }
    if (left.empty()) return {};
    for (size_t o = 0; o < all.size(); ++o) {
      const bool own =
          h.meta.base == darwinn::BaseAddress::output && h.meta.name == e.outputs[o].name;
      const auto first = static_cast<size_t>(std::max(h.offset, 0)) / kSentWord;
      if (!own || first > all[o].size() || left.size() > all[o].size() - first) continue;
      std::ranges::copy(left, all[o].begin() + static_cast<long>(first));
    }
  }
  return all;
}

}  // namespace edgetwin::edgetpu
