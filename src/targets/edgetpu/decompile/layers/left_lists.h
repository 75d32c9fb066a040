// Lists that leave the chip in parts, each as soon as it is made: no word of them lies beside
// another part's.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Rows of a list that each position of a picture has.
struct ListPiece {
  Producer from = 0;
  int32_t count = 0;
};

// One position after the other, of each the rows of all pieces.
struct LeftPictures {
  std::vector<ListPiece> pieces;
  int64_t positions = 1;
};

// By output of the executable the pictures that are its rows, one after the other; empty: it is no
// list, or its words do not tell. `outputs`: as they were found by their owners.
std::vector<std::vector<LeftPictures>> read_left_lists(
    const LayerSearch& search, const std::vector<DecompiledOutput>& outputs);

// Notes them in the outputs. Layers that make some rows of each position become one, and functions
// of all parts alike one after the joining; layers may count anew then.
void take_left_lists(LayerSearch& search, const std::vector<std::vector<LeftPictures>>& lists);

}  // namespace edgetwin::edgetpu
