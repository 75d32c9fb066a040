// Parts of networks: what stands before a decoder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace edgetwin::decode {

// The operators that `outputs` need, with these as the graph's outputs.
Graph part_for(const Graph& graph, std::vector<ValueId> outputs);

// The maps before a pose decoder, for the decoders "posenet" and "bodypix", that the twin does not
// compute whole (BodyPix has more operands than are known) in place of its outputs. Nothing: the
// graph stays as it is. `options` become those of the graph's decoder, where it has one.
std::optional<Graph> graph_with_maps(const Graph& graph, const std::string& decoder,
                                     std::optional<PosenetAttrs>& options);

// The operator of a kind, or null.
const Op* find_op(const Graph& graph, OpKind kind);

}  // namespace edgetwin::decode
