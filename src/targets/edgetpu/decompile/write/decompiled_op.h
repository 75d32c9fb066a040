// A compiled operator of a file, decompiled.
#pragma once

#include <vector>

#include "targets/edgetpu/decompile/operands/layer.h"
#include "targets/edgetpu/decompile/scales/scales.h"

namespace edgetwin::edgetpu {

// One compiled operator of the file.
struct DecompiledOp {
  size_t graph = 0;
  size_t op = 0;  // where it stood
  Layers layers;
  Scales scales;
  // By layer: its operator in the new graph (Decompiled::compared()); -1: it could not be written.
  std::vector<int> written;
  bool complete() const;
  size_t recovered() const;
};

}  // namespace edgetwin::edgetpu
