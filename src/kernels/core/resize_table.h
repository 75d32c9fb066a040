// What an instruction set supplies for resizing between pixels. Included by files for one
// instruction set: nothing of the C++ library here (table8.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// Where one output column lies between two input columns.
template <class Weight>
struct ResizeColumn {
  std::ptrdiff_t low = 0, high = 0;  // offsets of the pixels in a row
  Weight low_weight{}, high_weight{};
};

// A row of output pixels from two rows of input pixels.
// Floats are summed in the definition's order: first `sums`, per input element what the two rows
// weigh, then between columns. Integers, whose order does not matter, between columns first: of
// each of the two rows what its pixels weigh together, which is kept for the output rows after it.
template <class T, class Weight>
struct ResizeRow {
  const T* top = nullptr;
  const T* bottom = nullptr;
  Weight top_weight{}, bottom_weight{};
  std::ptrdiff_t in_elements = 0;  // of a row
  const ResizeColumn<Weight>* columns = nullptr;
  std::ptrdiff_t out_width = 0;
  std::ptrdiff_t channels = 0;
  // Of integers two rows of output and a block after each; of floats two rows of input and a block.
  Weight* sums = nullptr;
  const T** held = nullptr;  // of integers: the two input rows whose sums are there; null: none
  Weight* wide = nullptr;    // of integers a row of input, of floats one of output, and a block
  T* out = nullptr;
  bool half_up = false;  // of integers: ties toward plus infinity, else away from zero
  int shift = 0;         // of words: 2^shift is one, 1 ... 8
};

// Elements that are computed together: a block may go on after the end of a pixel, and what it
// writes too much, the next pixel replaces.
inline constexpr std::ptrdiff_t kResizeBlock = 16;

struct ResizeTable {
  void (*bytes)(const ResizeRow<int8_t, int32_t>& row);
  void (*unsigned_bytes)(const ResizeRow<uint8_t, float>& row);
  // In the Edge TPU's numerics: weights of 7 fractional bits, ties to even.
  void (*edgetpu_bytes)(const ResizeRow<int8_t, int32_t>& row);
  void (*edgetpu_unsigned_bytes)(const ResizeRow<uint8_t, int32_t>& row);
  // The same four where both axes' weights are multiples of powers of two whose product is 2^-8 or
  // more, from 0 to one: sums of bytes are words.
  void (*narrow_bytes)(const ResizeRow<int8_t, int16_t>& row);
  void (*narrow_unsigned_bytes)(const ResizeRow<uint8_t, int16_t>& row);
  void (*narrow_edgetpu_bytes)(const ResizeRow<int8_t, int16_t>& row);
  void (*narrow_edgetpu_unsigned_bytes)(const ResizeRow<uint8_t, int16_t>& row);
};

}  // namespace edgetwin::kernels
