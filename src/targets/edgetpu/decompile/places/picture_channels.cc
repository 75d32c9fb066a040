#include "targets/edgetpu/decompile/places/picture_channels.h"

#include <algorithm>

#include "targets/edgetpu/decompile/places/pixel_words.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kChannels = 4;  // of a word

// The word that stands at this place of all pixels; nothing: none, or different ones.
std::optional<PictureWord> word_at(const ReadView& view, int k) {
  std::optional<PictureWord> found;
  for (int y = 0; y < view.height; ++y) {
    for (int x = 0; x < view.width; ++x) {
      const ViewWord& w = view.at(y, x, k);
      if (w.kind != ViewWord::Kind::word) continue;
      if (found && (found->from != w.word.from || found->word != w.word.word)) return std::nullopt;
      found = w.word;
    }
  }
  return found;
}

}  // namespace

void take_read_channels(const ReadView& view, const MadePlaces& places, Operand& operand) {
  const bool one = view.height == 1 && view.width == 1;  // perhaps a flattened picture
  if (one || operand.row_channels > 0 || words_of(operand, places) == view.words) return;
  Operand read;
  int next = -1;
  for (int k = 0; k < view.words; ++k) {
    const auto w = word_at(view, k);
    if (!w) return;
    const int channels = places.extent(w->from).c - w->word * kChannels;
    if (channels <= 0) return;
    if (read.from.empty() || read.from.back() != w->from || next != w->word) {
      read.from.push_back(w->from);
      read.taken.push_back({w->word * kChannels, 0});
    }
    read.taken.back().count += std::min(channels, kChannels);
    next = w->word + 1;
  }
  operand = read;
}

}  // namespace edgetwin::edgetpu
