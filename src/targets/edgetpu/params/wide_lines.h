// The lines of a dense block: for four input channels and one position of the kernel, the weights
// of all output slots.
#pragma once

#include "targets/edgetpu/params/block.h"

namespace edgetwin::edgetpu {

// `first` is the block's first output channel, `real` how many it has.
void put_lines(const BlockShape& shape, const BlockContent& content, size_t first, int real,
               std::byte* lines);
void take_lines(const BlockShape& shape, size_t first, int real, const std::byte* lines,
                Bytes& weights);

}  // namespace edgetwin::edgetpu
