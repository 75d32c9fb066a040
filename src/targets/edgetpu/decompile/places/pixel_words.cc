#include "targets/edgetpu/decompile/places/pixel_words.h"

#include <algorithm>

namespace edgetwin::edgetpu {
namespace {

constexpr int kPixelWord = 4;  // channels

// The word of each place in a pixel, which all positions have alike. Empty: they have not.
std::vector<PictureWord> words_of_pixel(const ReadView& v) {
  std::vector<PictureWord> pixel;
  for (int k = 0; k < v.words; ++k) {
    std::optional<PictureWord> word;
    for (int y = 0; y < v.height; ++y) {
      for (int x = 0; x < v.width; ++x) {
        const ViewWord& w = v.at(y, x, k);
        if (w.kind != ViewWord::Kind::word) continue;
        if (!word) word = w.word;
        if (word->from != w.word.from || word->word != w.word.word) return {};
      }
    }
    if (!word) return {};
    pixel.push_back(*word);
  }
  return pixel;
}

}  // namespace

std::optional<Operand> side_by_side(const ReadView& v, const MadePlaces& places) {
  Operand o;
  for (const PictureWord& w : words_of_pixel(v)) {
    const int first = w.word * kPixelWord;
    const int count = std::min(kPixelWord, places.extent(w.from).c - first);
    if (count <= 0) return std::nullopt;
    const bool goes_on = !o.from.empty() && o.from.back() == w.from &&
                         o.taken.back().first + o.taken.back().count == first;
    if (goes_on) {
      o.taken.back().count += count;
    } else {
      o.from.push_back(w.from);
      o.taken.push_back({first, count});
    }
  }
  if (o.from.empty()) return std::nullopt;
  bool all = true;
  for (size_t i = 0; i < o.from.size(); ++i) {
    all = all && o.taken[i] == ChannelRange{0, places.extent(o.from[i]).c};
  }
  if (all) o.taken.clear();
  return o;
}

int words_of(const Operand& o, const MadePlaces& places) {
  int words = 0;
  for (size_t i = 0; i < o.from.size(); ++i) {
    const int c = o.taken.empty() ? places.extent(o.from[i]).c : o.taken[i].count;
    words += (c + kPixelWord - 1) / kPixelWord;
  }
  return words;
}

void take_read_channels(const ReadView& view, const MadePlaces& places, Operand& operand) {
  if (operand.row_channels > 0 || words_of(operand, places) == view.words) return;
  if (auto read = side_by_side(view, places)) operand = *std::move(read);
}

}  // namespace edgetwin::edgetpu
