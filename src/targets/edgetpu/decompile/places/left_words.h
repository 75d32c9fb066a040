// Words that left for the host: where they were computed, and where the host finds them.
#pragma once

#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

inline constexpr size_t kSentWord = 4;

// By byte of the host's picture: its place among those that leave. Empty: no layout.
std::vector<uint32_t> places_of_bytes(const darwinn::Layer& output);

// Tiles send one after the other what several fetches brought, or it leaves as it was fetched. In
// units of two words: the last of a tile may be half full. Nothing: not as many as leave.
std::vector<MadeAt> in_order(std::vector<TileWords> words, bool by_tile, int64_t bytes);

// By output the words that its transfers bring, at their places among those that leave. Empty: the
// transfers are not these.
std::vector<std::vector<MadeAt>> words_by_output(const LayerSearch& search);

}  // namespace edgetwin::edgetpu
