// Who made what is read: the owners of words, followed through copies to layers and inputs.
#pragma once

#include "targets/edgetpu/decompile/operands/channel_selection.h"
#include "targets/edgetpu/decompile/operands/layer_search.h"

namespace edgetwin::edgetpu {

// Nobody known.
inline constexpr Producer kNobody = -1'000'000;

// `depth`: copies that were followed already.
Shares producer_shares(LayerSearch& search, const Votes& votes, int depth);

// Who made most.
Producer top_producer(const Shares& all);

// `several`: all that made a good part of it, in the order of their results in memory; else one.
Operand operand_of_votes(LayerSearch& search, const Votes& votes, bool several);

// Who made all words that the layer's instructions read as this operand, wherever they were copied;
// nothing: several, or not all are known.
std::optional<Producer> only_maker(const LayerSearch& search, const DecompiledLayer& layer,
                                   size_t operand);

WordMakers word_makers(const LayerSearch& search);

}  // namespace edgetwin::edgetpu
