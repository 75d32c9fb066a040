// What the chip sends to the host, in order.
#pragma once

#include "targets/edgetpu/isa/transfers.h"
#include "targets/edgetpu/machine/core.h"

namespace edgetwin::edgetpu::machine {

struct Output {
  Bytes bytes;
  uint64_t real_functions = 0;  // powers and reciprocals of the scalar core
};

// Behind a run: what outfeeds gave to the host, and what the scalar core made of that which they
// put into its memory. Errors: those of run_scalar.
Result<Output> output_of(const Core& core, const darwinn::Executable& executable,
                         const Buffers& buffers);

}  // namespace edgetwin::edgetpu::machine
