// The running order of layers in branches. docs/max78-planner.md, "Order".
#pragma once

#include <cstddef>
#include <vector>

#include "targets/max78/network/resolved.h"

namespace edgetwin::max78 {

// Orders in which every result is there before it is read, the written one first where it is one.
// The first and the last layer stay, and output layers keep their order, since it is that of the
// results. Nothing but the written order where something else depends on it: streaming, a data
// buffer, next_sequence, options that number layers.
std::vector<std::vector<int>> running_orders(const ai8x::Network& network, const Options& options,
                                             size_t most);

// Layer `order[i]` becomes layer i; each reads what it has read.
void put_in_order(ai8x::Network& network, ai8x::Parameters& parameters,
                  const std::vector<int>& order);

bool is_written_order(const std::vector<int>& order);

}  // namespace edgetwin::max78
