// What the chip sends to the host, in order.
#pragma once

#include <optional>

#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu::machine {

struct HostOutput {
  Bytes bytes;
  uint64_t real_functions = 0;  // powers and reciprocals of the scalar core
};

// Behind a run: what outfeeds gave to the host, and what the scalar core made of that which they
// put into its memory. `transfers` are those of the trace. Errors: those of run_scalar,
// chip_unknown where the scalar core goes another way than in the trace, where memory was empty.
Result<HostOutput> output_of(const Core& core, const darwinn::Executable& executable,
                             const std::vector<Descriptor>& transfers);

// While a program runs: what it has sent to the host so far, at least `needed` bytes; nothing: an
// outfeed that gives a part of them has not run.
std::optional<Bytes> sent_so_far(const Core& core, uint64_t needed);

}  // namespace edgetwin::edgetpu::machine
