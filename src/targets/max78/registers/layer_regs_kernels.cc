// The registers that say where a layer's kernels are, and how many outputs it has.
// Source: specification "registers" 3.
#include <algorithm>

#include "targets/max78/chip/regs.h"
#include "targets/max78/place/kernel_stream.h"
#include "targets/max78/registers/layer_regs.h"

namespace edgetwin::max78 {
void LayerRegs::kernel_positions(int64_t& first, int64_t& last, int64_t& start) const {
  const int64_t q = l_.bits();
  const int64_t count = l_.bypass ? l_.out_channels / l_.groups : l_.kern_count;
  int64_t length = (count - 1) * q;
  const bool x4 = l_.yaml->calcx4;
  if (l_.index == plan_.start && x4) length = (length + q + 3) / 4 - q;
  int64_t offset = 9 * l_.kern_offs / l_.taps();
  start = 9 * l_.kern_offs % l_.taps();
  if (x4) offset = calcx4_offset(offset);
  first = offset * 8;
  last = length + first;
}

uint32_t LayerRegs::kernels() const {
  int64_t first = 0, last = 0, start = 0;
  if (l_.passthrough()) {
    if (!small() || l_.emulated_eltwise) return 0;
    return u((l_.out_expand - 1) * 8);
  }
  kernel_positions(first, last, start);
  return small() ? u(first) << 16 | u(last) : u(last);
}

uint32_t LayerRegs::kernels2() const {
  if (l_.passthrough()) return u((l_.out_expand - 1) * 8);
  int64_t first = 0, last = 0, start = 0;
  kernel_positions(first, last, start);
  return u(first);
}

uint32_t LayerRegs::out_channels() const {
  if (l_.bypass) return u(l_.out_channels - 1);
  if (l_.passthrough()) return u(time_slots());
  if (l_.depthwise()) return u((time_slots() + 1) * l_.in_expand - 1);
  const int64_t last = l_.kern_ochan - 1;
  return u(l_.yaml->calcx4 ? last / 4 : last);
}

int64_t LayerRegs::time_slots() const {
  int64_t most = 0;
  const int64_t bytes = l_.output_width / 8;
  for (const int g : plan_.groups) {
    const int64_t n = count_bits(group_bits(l_.hw_processors, g));
    if (n == 0) continue;
    if (l_.passthrough()) {
      most = std::max(most, (n * bytes - 1) / 4);
    } else if (l_.depthwise() && l_.broadcast) {
      most = std::max(most, (std::min<int64_t>(n - 1, 3) + 1) * bytes - 1);
    } else if (l_.depthwise()) {
      most = std::max(most, (n * l_.output_width + 7) / 8 - 1);
    }
  }
  return most;
}

}  // namespace edgetwin::max78
