// Prepared input rows of one picture, kept while a window slides down over them, so that every row
// is prepared once. There is room for the rows that one window spans.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/core/aligned.h"
#include "tensor/window.h"

namespace edgetwin::kernels {

class RowRing {
 public:
  // Slots for the rows of one window. A power of two: a slot is found without a division, which
  // would take longer than a short row.
  static int least_slots(const Window2D& w) {
    return static_cast<int>(std::bit_ceil(static_cast<unsigned>(span(w))));
  }
  static int span(const Window2D& w) { return (w.kernel_h - 1) * w.dilation_h + 1; }

  static std::size_t bytes(int slots, std::size_t row_bytes) {
    const auto rows = static_cast<std::size_t>(slots);
    return round_up(rows * sizeof(int), kCacheLine) + rows * row_bytes;
  }

  // `memory` at the boundary of a cache line, bytes() long; row_bytes a multiple of it.
  RowRing(std::byte* memory, const Window2D& w, int slots, std::size_t row_bytes)
      : window_(w), row_bytes_(row_bytes), slots_(slots) {
    tags_ = reinterpret_cast<int*>(memory);
    rows_ = reinterpret_cast<uint8_t*>(
        memory + round_up(static_cast<std::size_t>(slots_) * sizeof(int), kCacheLine));
    clear();
  }

  void clear() {
    for (int i = 0; i < slots_; ++i) tags_[i] = std::numeric_limits<int>::max();
  }

  // Calls prepare(y, memory) for every row that output row `out_y` needs and the ring has not.
  template <class Prepare>
  void advance(int out_y, const Prepare& prepare) {
    for (int ky = 0; ky < window_.kernel_h; ++ky) {
      const int y = window_.row(out_y, ky);
      if (tags_[slot(y)] == y) continue;
      prepare(y, row(y));
      tags_[slot(y)] = y;
    }
  }

  uint8_t* row(int y) const { return rows_ + static_cast<std::size_t>(slot(y)) * row_bytes_; }

 private:
  int slot(int y) const {
    return static_cast<int>(static_cast<unsigned>(y) & static_cast<unsigned>(slots_ - 1));
  }

  const Window2D& window_;
  std::size_t row_bytes_;
  int slots_;
  int* tags_;
  uint8_t* rows_;
};

}  // namespace edgetwin::kernels
