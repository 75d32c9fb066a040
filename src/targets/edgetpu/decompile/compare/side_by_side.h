// Convolutions that are one, whatever a network calls them: the same window of the same input, and
// whoever reads one of them reads the other one's channels after it. A compiler makes two of one
// where only whole blocks of outputs have a program, and one network may have them as two.
#pragma once

#include "targets/edgetpu/decompile/compare/network.h"

namespace edgetwin::edgetpu {

// Each pair becomes its first layer, which then has the names of both; producers count anew.
void join_side_by_side(DescribedNetwork& network);

}  // namespace edgetwin::edgetpu
