// Training by Adam in small batches.
#pragma once

#include <cstdint>

#include "net.h"
#include "picture.h"

namespace edgetwin::digits {

// The same seed and pictures give the same weights. Prints one line per epoch to standard error.
Net train(const PictureSet& set, std::uint64_t seed);

}  // namespace edgetwin::digits
