// The instruction set that an operator's options ask for.
#pragma once

#include "kernels/core/isa.h"
#include "ops/core/kernel.h"

namespace edgetwin::ops {

// Isa::plain where fast kernels are not wanted, or an unknown name is.
inline kernels::Isa wanted_isa(const KernelOptions& options) {
  if (!options.fast) return kernels::Isa::plain;
  if (options.isa.empty()) return kernels::best_isa();
  return kernels::isa_by_name(options.isa).value_or(kernels::Isa::plain);
}

}  // namespace edgetwin::ops
