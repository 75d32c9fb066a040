// Where in its producer's picture a word is, by the place where it was computed.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// A word of a picture: its position, row after row, and its place among the words of a pixel.
struct PictureWord {
  Producer from = 0;
  int32_t position = 0, word = 0;
  bool operator==(const PictureWord&) const = default;
};

class MadePlaces {
 public:
  explicit MadePlaces(const LayerSearch& search) : search_(search) {}
  // Nothing: it was made by no layer whose picture lies in tiles as a whole.
  std::optional<PictureWord> at(const MadeAt& made);
  // Of a layer whose size is known, or an input.
  Extent2D extent(Producer p) const;

 private:
  using Places = std::unordered_map<int32_t, int32_t>;  // to position * words + word
  const Places& places(Producer p);
  static Places of_words(const Extent2D& e, std::vector<int32_t> words);
  static Places of_single_bytes(const Extent2D& e, const std::vector<int32_t>& words);
  Places of_strides(const DecompiledLayer& l, const std::vector<int32_t>& words) const;

  const LayerSearch& search_;
  std::map<Producer, Places> known_;
};

}  // namespace edgetwin::edgetpu
