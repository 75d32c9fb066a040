// The words of narrow memory that the windows of one tile read, told by a picture's geometry.
#pragma once

#include <optional>
#include <vector>

#include "targets/edgetpu/decompile/operands/layer.h"
#include "targets/edgetpu/decompile/operands/tile_box.h"

namespace edgetwin::edgetpu {

// How instructions with a window walk over their inputs.
struct WindowWalk {
  SeenWindow seen;
  int64_t pixel = 0;          // bytes from one column to the next
  int words = 0;              // of a pixel
  int height = 0, width = 0;  // that all windows reach
};

// A word: where it lies, and which of the picture that all windows reach.
struct WindowWord {
  int64_t at = 0;  // words
  int y = 0, x = 0, k = 0;
};

// In the order of `words`, the places that a tile reads, ascending. `start`: of the first window,
// in bytes; `row`: bytes from one row to the next. Nothing: the windows reach too far, or are not
// at these words.
std::optional<std::vector<WindowWord>> window_words(const WindowWalk& walk, const TileBox& box,
                                                    int64_t start, int64_t row,
                                                    const std::vector<int32_t>& words);

}  // namespace edgetwin::edgetpu
