// A function of one byte, as a table of all its results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/isa.h"

namespace edgetwin::kernels {

// out[i] = table[in[i]], the table 256 bytes. `in` and `out` are the same or do not overlap. On
// Isa::plain and where the processor has nothing better, one byte after the other.
void lookup8(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count,
             Isa isa = best_isa());

}  // namespace edgetwin::kernels
