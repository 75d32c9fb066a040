// Rows of bytes for AVX2.
#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/core/row_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr RowTable kTable = {avx2::row_largest, avx2::row_squares, avx2::row_portions,
                             sigmoid16_avx2,    softmax_rows_avx2, chip_sums_avx2,
                             chip_results_avx2, chip_softmax_avx2};

}  // namespace

const RowTable* avx2_rows() { return &kTable; }

}  // namespace edgetwin::kernels
