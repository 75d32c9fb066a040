// The picture that a layer reads as its operand, word by word, told by where each word was computed
// and by the positions of the layer's own output.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/places/tile_reads.h"

namespace edgetwin::edgetpu {

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

// How far a view's words are from their places in their producers' pictures: the same for all where
// the view is such a picture.
class PictureOffset {
 public:
  explicit PictureOffset(const MadePlaces& places) : places_(places) {}
  // False: this word is elsewhere than those before.
  bool add(int y, int x, const ViewWord& w);
  bool found() const { return found_; }
  // Where the picture begins in the view.
  int top() const { return top_; }
  int left() const { return left_; }
  const Extent2D& size() const { return size_; }

 private:
  const MadePlaces& places_;
  Producer from_ = 0;
  Extent2D of_from_;
  bool asked_ = false, found_ = false;
  int top_ = 0, left_ = 0;
  Extent2D size_;
};

// All views that the layer's positions allow: where its instructions do not tell rows from columns
// there are several. `in_place`: only those that may be their producers' picture as it is. Empty:
// the positions are not known.
std::vector<ReadView> read_views(const LayerSearch& search, const DecompiledLayer& layer,
                                 const LayerReads& reads, const MadePlaces& places, bool in_place);

}  // namespace edgetwin::edgetpu
