// Parameters of a program in the making.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "targets/edgetpu/compile/templates/layers.h"
#include "targets/edgetpu/compile/templates/parts.h"

namespace edgetwin::edgetpu::compiler {

struct Block {       // parameters in one run
  int64_t size = 0;  // in bytes
  Bytes bytes;       // none where only plans are made
  std::vector<Piece> pieces;
  int64_t slots = 64, bytes_per_line = 256;
  int64_t lines = 0;  // of wide memory; bytes that only fill up the stream are not among them
  bool dense = false, depthwise = false;
  int64_t items = 0;
  // Of all instructions that take it: their number, and their iterations in the fullest tile.
  int64_t uses = 0, iterations = 0;
  bool streamed = false;  // it comes from the host at every inference,
  int64_t offset = 0;     // from this byte on
};

struct GatePart {  // products of the weights of all gates
  size_t block = 0;
  int64_t inputs = 0, outputs = 0, items = 0, slots = 64;
  Numbers numbers;
};

}  // namespace edgetwin::edgetpu::compiler
