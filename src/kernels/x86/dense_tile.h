// What a register tile of dense layers computes. Included once per instruction set, after Vec.
#pragma once

#include "kernels/core/table8.h"
#include "kernels/x86/multiply_run.h"
#include "kernels/x86/unroll.h"

namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE {

// Where a tile reads and writes. `first` points into each run at the first pixel of the tile.
struct DenseTile {
  const DenseRow& row;
  std::ptrdiff_t first;        // bytes from the start of a run
  const int32_t* pixel_terms;  // of the tile's pixels, or null
  const int8_t* weights;
  const int32_t* bias;
  const int32_t* tail_words;
  uint8_t* out;
  int channels;  // to be written
  int block;
};

}  // namespace edgetwin::kernels::EDGETWIN_ISA_NAMESPACE
