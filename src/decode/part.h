// Networks without their decoder.
#pragma once

#include <optional>
#include <string>

#include "graph/graph.h"

namespace edgetwin::decode {

// The maps before a pose decoder, for the decoders "posenet" and "bodypix", that the twin does not
// compute whole (BodyPix has more operands than are known) in place of its outputs. Nothing: the
// graph stays as it is. `options` become those of the graph's decoder, where it has one.
std::optional<Graph> graph_with_maps(const Graph& graph, const std::string& decoder,
                                     std::optional<PosenetAttrs>& options);

}  // namespace edgetwin::decode
