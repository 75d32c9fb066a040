// A convolution whose channels become rows of a list, computed some rows of each position at a
// time: the pieces stand in the list by turns, position after position.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Whether lists of words, tile after tile, have pieces by turns: at each position so many words
// `of_each`. `piece_of`: by owner; others are none. `begin`: the list begins with them.
bool pieces_take_turns(const std::vector<std::vector<OwnedRun>>& tiles,
                       const std::vector<int64_t>& of_each, const std::map<Owner, size_t>& piece_of,
                       bool begin);

// Makes one layer of the pieces of a list that a function reads, and of the rescalings after them:
// the same window of the same input with the same numbers, which the list alone reads. Layers count
// anew then.
void join_list_pieces(LayerSearch& search);

}  // namespace edgetwin::edgetpu
