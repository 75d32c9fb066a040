// Draws digits as a small camera might see them: turned, slanted, shifted, soft, noisy, of little
// contrast.
#pragma once

#include <cstdint>
#include <vector>

#include "fonts.h"
#include "picture.h"

namespace edgetwin::digits {

// `count` pictures from the given fonts, in random order, every class equally often (when `count`
// is a multiple of ten). The same seed gives the same set.
PictureSet render_set(const std::vector<FontDigits>& fonts, int count, std::uint64_t seed);

}  // namespace edgetwin::digits
