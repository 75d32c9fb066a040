// What an instruction set supplies for resizing between pixels. Included by files for one
// instruction set: nothing of the C++ library here (table8.h).
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

// Where one output column lies between two input columns: `high` is the next pixel, or the same one
// without weight.
template <class Weight>
struct ResizeColumn {
  std::ptrdiff_t low = 0, high = 0;  // offsets of the pixels in a row
  Weight low_weight{}, high_weight{};
};

// Eight output elements of a row of few channels, whose pixels lie in 16 bytes from `at` on: the
// bytes of the lower and the higher pixel alternate.
struct ResizeWindow {
  std::ptrdiff_t at = 0;
  uint8_t places[16] = {};
  int16_t weights[16] = {};
  uint8_t byte_weights[16] = {};  // the same where sums are words
};

// Sixteen bytes of an output row that are copies of bytes of the input row, from `at` on.
struct CopyWindow {
  std::ptrdiff_t at = 0;
  uint8_t places[16] = {};
};

// The output rows between two rows of input pixels. Integers are summed between columns first,
// whose order does not matter: of each of the two rows what its pixels weigh together, which all
// output rows share and those after them too.
template <class T, class Sum>
struct ResizeRows {
  const T* top = nullptr;
  const T* bottom = nullptr;
  const Sum* weights = nullptr;  // of `bottom`, from 0 to one; that of `top` is the rest
  std::ptrdiff_t rows = 0;
  int one_bits = 0;                // one is 2^one_bits
  std::ptrdiff_t in_elements = 0;  // of a row
  const ResizeColumn<Sum>* columns = nullptr;
  const ResizeWindow* windows =
      nullptr;  // of a whole row; null: pixels lie too far from each other
  std::ptrdiff_t out_width = 0;
  std::ptrdiff_t channels = 0;
  Sum* sums = nullptr;       // two rows of output and a block after each
  const T** held = nullptr;  // the two input rows whose sums are there; null: none
  Sum* wide = nullptr;       // a row of input and a block
  T* out = nullptr;          // one row after the other
  int shift = 0;             // 2^shift is one of rows times columns
  bool half_up = false;      // ties of int8 toward plus infinity, else away from zero
};

// A row of output pixels in single precision, in the definition's order: first per input element
// what the two rows weigh, then between columns.
struct ResizeFloats {
  const uint8_t* top = nullptr;
  const uint8_t* bottom = nullptr;
  float top_weight = 0, bottom_weight = 0;
  std::ptrdiff_t in_elements = 0;
  const ResizeColumn<float>* columns = nullptr;
  std::ptrdiff_t out_width = 0;
  std::ptrdiff_t channels = 0;
  std::ptrdiff_t stride = 0;  // of pixels of the input in `sums`, at least `channels`
  float* sums = nullptr;      // two rows of input, each with a block
  float* wide = nullptr;      // a row of output and a block
  uint8_t* out = nullptr;
  // Few channels: how the elements of an output row are found, or null; what their columns weigh,
  // up to a multiple of a block; pixels of the two input rows, as four such rows of output; and of
  // which input rows they are.
  const ResizeWindow* windows = nullptr;
  const float* low_weights = nullptr;
  const float* high_weights = nullptr;
  float* pixels = nullptr;
  const uint8_t** held = nullptr;
};

// The output rows between two rows of input pixels in single precision, with the results of the
// definition's order, though columns are summed first.
struct ResizeSingles {
  const uint8_t* top = nullptr;
  const uint8_t* bottom = nullptr;
  const ResizeColumn<float>* down = nullptr;  // of each row, what `top` and `bottom` weigh
  std::ptrdiff_t rows = 0;
  std::ptrdiff_t in_elements = 0;
  const ResizeColumn<float>* columns = nullptr;
  const ResizeWindow* windows = nullptr;  // null as above
  const float* high_weights = nullptr;    // with windows: of all elements, up to a whole block
  std::ptrdiff_t out_width = 0;
  std::ptrdiff_t channels = 0;
  float* sums = nullptr;           // two rows of output and a block after each
  const uint8_t** held = nullptr;  // the two input rows whose sums are there; null: none
  float* wide = nullptr;           // a row of input and a block
  uint8_t* out = nullptr;          // one row after the other
};

// Elements that are computed together: a block may go on after the end of a pixel, and what it
// writes too much, the next pixel replaces.
inline constexpr std::ptrdiff_t kResizeBlock = 32;

struct ResizeTable {
  // Of `bytes` bytes, at least 16: windows at multiples of 16, the last one at the end.
  void (*copies)(const CopyWindow* windows, const uint8_t* from, std::ptrdiff_t bytes, uint8_t* to);
  void (*bytes)(const ResizeRows<int8_t, int32_t>& rows);
  void (*unsigned_bytes)(const ResizeFloats& row);
  // In the Edge TPU's numerics: weights of 7 fractional bits, ties to even.
  void (*edgetpu_bytes)(const ResizeRows<int8_t, int32_t>& rows);
  void (*edgetpu_unsigned_bytes)(const ResizeRows<uint8_t, int32_t>& rows);
  // Where the definition's single precision is exact: sums below 2^24.
  void (*exact_unsigned_bytes)(const ResizeRows<uint8_t, int32_t>& rows);
  // The same four where both axes' weights are multiples of powers of two whose product is 2^-8 or
  // more: sums of bytes are words. Columns of unsigned bytes weigh less than 2^7.
  void (*narrow_bytes)(const ResizeRows<int8_t, int16_t>& rows);
  void (*narrow_unsigned_bytes)(const ResizeRows<uint8_t, int16_t>& rows);
  void (*narrow_edgetpu_bytes)(const ResizeRows<int8_t, int16_t>& rows);
  void (*narrow_edgetpu_unsigned_bytes)(const ResizeRows<uint8_t, int16_t>& rows);
  // As unsigned_bytes, which is faster where many results lie on borders between two of them. Null:
  // the set has none.
  void (*clear_unsigned_bytes)(const ResizeSingles& rows) = nullptr;
};

}  // namespace edgetwin::kernels
