// Where the largest byte of a row is first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/core/isa.h"

namespace edgetwin::kernels {

// `rows` rows of `length` bytes, 8 to 256, one after the other.
using ArgMaxKernel = void (*)(const uint8_t* in, std::ptrdiff_t rows, int length, bool is_signed,
                              int32_t* out);

// Null for Isa::plain.
ArgMaxKernel arg_max8(Isa isa, int length);

}  // namespace edgetwin::kernels
