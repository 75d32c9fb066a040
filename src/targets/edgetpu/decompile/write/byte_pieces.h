// A tensor whose bytes are copies as boxes of other tensors, joined or padded.
#pragma once

#include <optional>
#include <vector>

#include "targets/edgetpu/decompile/write/byte_origins.h"
#include "tensor/shape.h"

namespace edgetwin::edgetpu {

// A box of the output. Of an input: the box of the same size that begins at `from`; else one byte
// everywhere.
struct BytePiece {
  std::vector<int64_t> size;
  int32_t input = -1;
  std::vector<int64_t> from;
  uint8_t byte = 0;
};

struct BytePieces {
  int axis = 0;  // along which several pieces stand side by side
  std::vector<BytePiece> pieces;
  // Of a single piece of an input: what stands around it, before and after by axis, as pieces of
  // the byte `fill`. Empty: nothing.
  std::vector<int64_t> before, behind;
  uint8_t fill = 0;
};

// Shapes of bytes. Inputs of another rank than the output are looked at as one of its own shape, if
// they have as many bytes. Nothing: it is not made in this way.
std::optional<BytePieces> pieces_of(const ByteOrigins& origins, const Shape& output,
                                    const std::vector<Shape>& inputs);

}  // namespace edgetwin::edgetpu
