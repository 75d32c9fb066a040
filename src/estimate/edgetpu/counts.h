// What a compiled program does for one inference: iterations of the busiest tile and bytes over the
// bus. Source: specification of estimates 3.1.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"

namespace edgetwin::estimates {

// A run of tensor instructions of one operation.
struct TpuLayer {
  int64_t iterations = 0;  // of the busiest tile of each instruction, added up
  size_t instructions = 0;
};

struct TpuCounts {
  int64_t iterations = 0;                                       // of the tile that has most
  int64_t code = 0, input = 0, parameters = 0, scratch_in = 0;  // bytes to the device
  int64_t output = 0, scratch_out = 0;                          // bytes back, as laid out
  int64_t cached = 0;                                           // parameters that are sent once
  int64_t narrow = 0;                                           // bytes of narrow memory of a tile
  bool softmax = false;
  std::vector<TpuLayer> layers;
  int64_t to_device() const { return code + input + parameters + scratch_in; }
};

// All inference programs of a file, one after the other. Errors: darwinn_* and those of the scalar
// core (edgetpu_*).
Result<TpuCounts> count_inference(const darwinn::File& file);

}  // namespace edgetwin::estimates
