// The hints of an executable: what the driver sends and receives, in order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"

namespace edgetwin::darwinn {

// A transfer of `bytes` bytes at a base address: outputs come from the device, all else goes to it.
// `name`: of the layer; empty for parameters.
DmaHint transfer_hint(BaseAddress base, const std::string& name, int64_t bytes);

// All transfers before it are done before one after it begins.
DmaHint fence_hint();

// Of a program with one bitstream: its instructions, the transfers, the interrupt at its end.
DmaHints hints_of(const std::vector<DmaHint>& transfers);

}  // namespace edgetwin::darwinn
