// Writing the blob of golden_format.h.
#pragma once

#include "targets/espdl/firmware/firmware.h"

namespace edgetwin::targets::espdl {

// Checks the case and its tensors; `node_budget` bytes of node tensors may be stored whole, and
// what is used is taken from it. Error: firmware_case.
Result<Bytes> write_golden(const FirmwareCase& wanted, uint64_t& node_budget);

}  // namespace edgetwin::targets::espdl
