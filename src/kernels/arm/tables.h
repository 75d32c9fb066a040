// What the files below arm/ offer. Each function belongs to one instruction set and is called only
// where the processor has that. Only builds for AArch64 have these functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

struct KernelTable;
struct KernelTable16;
struct LaneTable;
struct FloatTable;
struct PairConstants;
struct PairRun;

const KernelTable* neon_kernels();
const KernelTable* neon_dotprod_kernels();
const KernelTable* neon_i8mm_kernels();

const KernelTable16* neon_kernels16();
const KernelTable16* neon_dotprod_kernels16();
const KernelTable16* neon_i8mm_kernels16();

const LaneTable* neon_lanes();
const LaneTable* neon_dotprod_lanes();
const LaneTable* neon_i8mm_lanes();

// Those of every AArch64.
const FloatTable* neon_floats();

void pairs_neon(const PairConstants& c, const PairRun& run);

// out[i] = table[in[i]] for the whole vectors among `count` bytes; returns how many bytes were
// done.
std::size_t lookup8_neon(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count);

// Of each row of `length` bytes, at least 16: where the largest one is first.
void arg_max8_neon(const uint8_t* in, std::ptrdiff_t rows, int length, bool is_signed,
                   int32_t* out);

}  // namespace edgetwin::kernels
