// Where in its producer's picture a word is, by the place where it was computed.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// A word of a picture: its position, row after row, and its place among the words of a pixel.
struct PictureWord {
  Producer from = 0;
  int32_t position = 0, word = 0;
  bool operator==(const PictureWord&) const = default;
};

// Not to be kept while layers change that it was asked for.
class MadePlaces {
 public:
  explicit MadePlaces(const LayerSearch& search) : search_(search) {}
  // Nothing: it was made by no layer whose picture lies in tiles as a whole.
  std::optional<PictureWord> at(const MadeAt& made);
  // Of a layer whose size is known, or an input.
  Extent2D extent(Producer p) const;

 private:
  // A place of a tile's narrow memory, and position * words + word there.
  using Pairs = std::vector<std::pair<int32_t, int32_t>>;
  // The same by place, from the first one of each tile; -1: another's.
  struct Places {
    Places() = default;
    explicit Places(const Pairs& pairs);
    int32_t at(int32_t place) const;

    int32_t pixel = 1;  // words
    std::array<int32_t, kTiles> first{};
    std::array<std::vector<int32_t>, kTiles> numbers{};
  };
  const Places& places(Producer p);
  Pairs pairs_of(Producer p) const;
  static Pairs of_words(const Extent2D& e, const std::vector<int32_t>& unsorted);
  static Pairs of_copies(const Extent2D& e, const std::vector<int32_t>& unsorted);
  static Pairs of_single_bytes(const Extent2D& e, const std::vector<int32_t>& words);
  Pairs of_strides(const DecompiledLayer& l, const std::vector<int32_t>& words) const;

  const LayerSearch& search_;
  std::map<Producer, Places> known_;
  // Asked last: words of one producer follow each other.
  Producer last_ = 0;
  const Places* last_places_ = nullptr;
};

}  // namespace edgetwin::edgetpu
