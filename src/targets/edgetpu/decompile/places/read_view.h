// The picture that a layer reads as its operand, word by word, told by where each word was computed
// and by the positions of the layer's own output.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "targets/edgetpu/decompile/places/made_places.h"

namespace edgetwin::edgetpu {

struct ViewWord {
  enum class Kind : uint8_t { unread, constant, word } kind = Kind::unread;
  PictureWord word;
  int32_t constant = 0;  // four bytes
  bool operator==(const ViewWord&) const = default;
};

// `height` x `width` positions of `words` words each. The first row and column are those of the
// first window's first tap: padding is part of it.
struct ReadView {
  int height = 0, width = 0, words = 0;
  bool window = false;
  SeenWindow seen;  // of a window, but for its padding
  std::vector<ViewWord> all;
  const ViewWord& at(int y, int x, int k) const {
    return all[(static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)) *
                   static_cast<size_t>(words) +
               static_cast<size_t>(k)];
  }
  ViewWord& at(int y, int x, int k) {
    return const_cast<ViewWord&>(static_cast<const ReadView&>(*this).at(y, x, k));  // NOLINT
  }
};

// All views that the layer's positions allow: where its instructions do not tell rows from columns
// there are several. Empty: the words or positions are not known. `operand`: of Stage::reads.
std::vector<ReadView> read_views(const LayerSearch& search, const DecompiledLayer& layer,
                                 size_t operand, MadePlaces& places);

}  // namespace edgetwin::edgetpu
