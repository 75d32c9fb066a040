#include "targets/max78/machine/layers/core.h"

namespace edgetwin::max78 {

Core::Core(const Limits& limits, const MachineOptions& wanted)
    : chip(limits),
      options(wanted),
      data(limits, wanted.fill),
      kernels(limits),
      biases(limits),
      regs(limits) {
  if (wanted.keep_sums) {
    sums.assign(size_t{4} * kInstances * static_cast<size_t>(limits.instance_words), kNoSum);
  }
}

}  // namespace edgetwin::max78
