// What an instruction that enlarges a picture reads of it: its traversal shows only the first two
// pixels in each direction, its own fields the others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "targets/edgetpu/isa/isa.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu {

struct ResizeAxis {
  static constexpr int64_t kParts = 128;  // of a pixel
  int64_t outputs = 1;
  int64_t start = 0, step = kParts;  // of the first output behind the first pixel; between outputs
  int64_t pitch = 0;                 // bytes from pixel to pixel
  // Pixels between which outputs lie, from the first one on, ascending.
  std::vector<int64_t> pixels() const;
};

struct ResizeWalk {
  ResizeAxis rows, columns;
  int64_t words = 0;  // of a pixel
  // Of narrow memory, ascending.
  std::vector<int64_t> all_words(int64_t start) const;
};

// Nothing: its levels are others than those of the programs that are known.
std::optional<ResizeWalk> resize_walk(const Instruction& instruction, const Nest& nest);

}  // namespace edgetwin::edgetpu
