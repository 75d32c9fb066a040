// Rows of bytes for AVX-512.
#define EDGETWIN_ISA_NAMESPACE avx512_vnni
#include "kernels/core/row_loops.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr RowTable kTable = {avx512_vnni::row_largest,  avx512_vnni::row_squares,
                             avx512_vnni::row_portions, avx512_vnni::row_sigmoid16,
                             softmax_rows_avx2,         chip_sums_avx2,
                             chip_results_avx2,         chip_softmax_avx2};

}  // namespace

const RowTable* avx512_rows() { return &kTable; }

}  // namespace edgetwin::kernels
