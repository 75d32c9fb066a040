// Functions of one byte: all 256 results, looked up.
#pragma once

#include <array>

#include "ops/core/kernel.h"

namespace edgetwin::ops {

using ByteTable = std::array<uint8_t, 256>;  // by the input's byte as it is stored

// One byte in, one byte out.
Kernel byte_table_kernel(const ByteTable& table, int64_t elements, const KernelOptions& options);

}  // namespace edgetwin::ops
