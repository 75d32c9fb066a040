// What the host does for a program: it gives inputs, takes outputs, and has a scratch memory whose
// contents come back.
#pragma once

#include <vector>

#include "targets/edgetpu/machine/engines/core.h"
#include "targets/edgetpu/program/transfers.h"

namespace edgetwin::edgetpu::machine {

// A transfer of activations, as the scalar core asks for it.
struct Transfer {
  bool to_chip = false;
  bool scratch = false;  // from or to the scratch memory, else of a layer
  size_t layer = 0;      // of the executable's inputs or outputs
  uint64_t offset = 0;   // within the layer or the scratch memory
  uint64_t length = 0;   // bytes
};

struct HostPlan {
  std::vector<Transfer> transfers;
  // Which parts of inputs the program has sent itself, in the order of sending.
  std::vector<Returned> returned;
};

// Errors: chip_stream where the program reads or writes what is no layer, or reads scratch memory
// that nothing was written to.
Result<HostPlan> plan_host(const darwinn::Executable& executable, const Buffers& buffers,
                           const std::vector<Descriptor>& transfers);

// For each transfer to the chip its bytes; those from scratch memory are zero until they were
// sent. `layers`: one per input layer; padding that they lack is zero.
std::vector<Bytes> inputs_of(const HostPlan& plan, const std::vector<ByteSpan>& layers);

// The output layers from all bytes that the program sent. Errors: chip_stream.
Result<std::vector<Bytes>> outputs_of(const HostPlan& plan, const darwinn::Executable& executable,
                                      const Bytes& sent);

}  // namespace edgetwin::edgetpu::machine
