// Reads the blob of golden data that golden_format.hpp describes.
#pragma once

#include <string>
#include <vector>

#include "golden_format.hpp"

namespace check {

struct GoldenTensor {
  std::string name;
  uint8_t dtype = 0;
  int exponent = 0;
  std::vector<int> shape;
  uint32_t bytes = 0;
  uint32_t crc32 = 0;
  const uint8_t* data = nullptr;  // null: only length and CRC-32 are known

  uint32_t element_bytes() const { return edgetwin_golden::element_size(dtype); }
  uint32_t elements() const { return bytes / element_bytes(); }
};

struct Golden {
  edgetwin_golden::Header header = {};
  std::vector<GoldenTensor> inputs;
  std::vector<GoldenTensor> outputs;
  std::vector<GoldenTensor> nodes;

  bool lut_sweep() const { return (header.flags & edgetwin_golden::kLutSweep) != 0; }
};

// Empty, or a word that says what is wrong with the blob.
std::string open_golden(const uint8_t* data, size_t size, Golden& golden);

// The integer at `index` of elements of a type; float32 as its bits.
int64_t element(uint8_t dtype, const void* data, size_t index);
// The float32 at `index` in millionths, rounded.
int64_t millionths(const void* data, size_t index);

}  // namespace check
