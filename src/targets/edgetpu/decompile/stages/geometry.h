// What the traversals of one instruction say about its operator: window, strides, channels and how
// many output positions a tile computes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu {

struct Window {
  int64_t kernel_h = 1, kernel_w = 1;
  int64_t dilation = 1;
  int64_t stride_h = 0, stride_w = 0;  // 0: not to be seen, as with a single position
  int64_t in_channels = 4;             // rounded up to 4
  int64_t out_channels = 4;            // rounded up to 4
  int64_t pixels = 1;                  // output positions of one tile
  int64_t columns = 0, rows = 0;       // of them; 0: not to be seen
  int64_t tap_x = 0, tap_y = 0;        // bytes from one position of the window to the next
  int64_t last = 0;                    // bytes from the first position to the last one
  // Bytes from one output position to the next one, and to that of the next row. One level over all
  // of them: `position` alone.
  int64_t position = 0, next_row = 0;
  int64_t inner_words = 0;   // of a pixel, before the next position of the window
  bool input_inner = false;  // all words of a pixel before the next position of the window
};

// Levels that repeat, innermost first.
std::vector<Level> repeating(const Traversal& t);

// Nothing: the levels do not make a convolution.
std::optional<Window> window_of(const Nest& nest, bool depthwise);

// The same where the words of a pixel are known: the positions of a window that lie one behind the
// other, as in a buffer of its own size, are told apart.
std::optional<Window> window_of(const Nest& nest, bool depthwise, int64_t channels);

// Output positions, columns and rows of an elementwise instruction, a pool or a resize.
struct Positions {
  int64_t pixels = 1, columns = 0, rows = 0;
  int64_t channels = 4;
};
Positions positions_of(const Nest& nest);

// First channel that the instruction writes within a pixel whose channels other instructions share.
int64_t first_channel(const Nest& nest);

}  // namespace edgetwin::edgetpu
