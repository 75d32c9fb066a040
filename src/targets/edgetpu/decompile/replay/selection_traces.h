// Words of an input followed through matrices of zeros and ones, which only move bytes: every pixel
// that such a matrix makes remembers the words that it was made of.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/replay/state.h"

namespace edgetwin::edgetpu {

// Where a written word comes from.
struct MadeWord {
  Origin origin;
  int32_t trace = -1;
  int32_t born = -1;
  Owner maker = kUnknown;
};

// What an instruction of the last stage writes, in order: every position's words of those that it
// reads. Empty: none of them is followed.
std::vector<MadeWord> selected_words(ReplayState& state, const Nest& nest,
                                     const ChannelWalk& channels, size_t tile);

}  // namespace edgetwin::edgetpu
