// Words that the machine's layers write as elements of the network's results.
#pragma once

#include <array>
#include <span>

#include "targets/max78/hardware/hardware.h"
#include "targets/max78/machine/machine.h"

namespace edgetwin::max78 {

struct WrittenElement {
  int channel = 0;
  int64_t pixel = 0;  // row * columns + column of the layer's output
  int32_t value = 0;
  int byte = 0;  // of the word
};

// Up to four elements of one word.
struct WrittenElements {
  std::array<WrittenElement, 4> all;
  size_t count = 0;
  const WrittenElement* begin() const { return all.data(); }
  const WrittenElement* end() const { return all.data() + count; }
};

// By the network's own map of output processors. Nothing where the word is not the result's: some
// layers write pixels before their output, and bytes without a channel. `step` is a write of
// `layer`, just done by `machine`.
WrittenElements written_elements(const Machine& machine, const HardwarePlan& plan,
                                 const HardwareLayer& layer, const MachineStep& step);

}  // namespace edgetwin::max78
