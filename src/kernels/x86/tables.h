// What the files below x86/ offer. Each function belongs to one instruction set and is called only
// where the processor has that. Only builds for x86-64 have these functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace edgetwin::kernels {

struct KernelTable;
struct KernelTable16;
struct LaneTable;
struct FloatTable;
struct ResizeTable;
struct PowerTable;
struct PoolTable;
struct AffineTable;
struct RowTable;
struct Sigmoid16;
struct ChipCounts;
struct ChipPortion;
struct ChipRow;
struct ChipSums;
struct ChipSoftmax;
struct SoftmaxRows;
struct DotWalk;
struct DotRow;
struct WordWalk;
struct BytePairs;
struct PairConstants;
struct PairRun;

const KernelTable* avx2_kernels();
const KernelTable* avx2_byte_kernels();  // dense layers alone
const KernelTable* avx_vnni_kernels();
const KernelTable* avx512_vnni_kernels();

const KernelTable16* avx2_kernels16();
const KernelTable16* avx_vnni_kernels16();
const KernelTable16* avx512_vnni_kernels16();

const LaneTable* avx2_lanes();
const LaneTable* avx_vnni_lanes();
const LaneTable* avx512_vnni_lanes();

const FloatTable* avx2_floats();  // besides AVX2, the processor must have FMA
const FloatTable* avx512_floats();

const ResizeTable* avx2_resize();
const ResizeTable* avx512_resize();

const PowerTable* avx2_power();
const PowerTable* avx512_power();

const PoolTable* avx2_pool();
const PoolTable* avx512_pool();

const AffineTable* avx2_affine();
const AffineTable* avx512_affine();

const RowTable* avx2_rows();
const RowTable* avx512_rows();

// kernels/core/row_table.h.
void softmax_rows_avx2(const SoftmaxRows& function, const uint8_t* x, std::ptrdiff_t rows,
                       std::ptrdiff_t length, uint8_t* out);

ChipSums chip_sums_avx2(const ChipRow& row, const uint8_t* x, std::ptrdiff_t count, uint8_t flip);
ChipCounts chip_results_avx2(const ChipPortion& portion, const ChipRow& row, uint8_t* results);
ChipCounts chip_softmax_avx2(const ChipSoftmax& function, const uint8_t* x, std::ptrdiff_t rows,
                             std::ptrdiff_t length, uint8_t* out);
void sigmoid16_avx2(const Sigmoid16& function, const int16_t* x, std::ptrdiff_t count,
                    int16_t* out);

// kernels/core/dot_table.h.
void dot_rows_avx2(const DotWalk& walk, const DotRow* rows, std::size_t count);
void dot_words_avx2(const WordWalk& walk, const std::byte* const* rows, std::size_t count,
                    int32_t* sums);

// kernels/core/pair_table.h.
void pairs_avx2(const PairConstants& c, const PairRun& run);
void pairs_avx512(const PairConstants& c, const PairRun& run);
void byte_pairs_avx2(const BytePairs& c, const PairRun& run);
// Of bytes in single precision; how many elements of the run it took.
std::ptrdiff_t chip_pairs_avx2(const PairConstants& c, const PairRun& run);

// out[i] = table[in[i]] for the whole vectors among `count` bytes; they return how many bytes were
// done. The second needs AVX-512 VBMI.
std::size_t lookup8_avx2(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count);
std::size_t lookup8_vbmi(const uint8_t* table, const uint8_t* in, uint8_t* out, std::size_t count);

// Of each row of `length` bytes, at least 16: where the largest one is first.
void arg_max8_avx2(const uint8_t* in, std::ptrdiff_t rows, int length, bool is_signed,
                   int32_t* out);

}  // namespace edgetwin::kernels
