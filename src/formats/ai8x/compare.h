// Two descriptions of networks, key by key.
#pragma once

#include <string>
#include <vector>

#include "formats/ai8x/network.h"

namespace edgetwin::ai8x {

// One line per key whose value differs, and per layer that only one of them has: "layer 2 'fc': pad
// 1x1 and 0x0". Values count as they are resolved, however they were written: a key that states its
// default is none that differs. Empty: both describe the same network.
std::vector<std::string> compare_networks(const Network& a, const Network& b);

}  // namespace edgetwin::ai8x
