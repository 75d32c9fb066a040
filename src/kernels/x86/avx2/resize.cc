// Resizing between pixels for AVX2.
#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/core/resize_loops.h"
#include "kernels/core/resize_narrow.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr ResizeTable kTable = {avx2::resize_bytes,
                                avx2::resize_unsigned_bytes,
                                avx2::resize_edgetpu<int8_t>,
                                avx2::resize_edgetpu<uint8_t>,
                                avx2::resize_narrow_bytes,
                                avx2::resize_narrow_unsigned_bytes,
                                avx2::resize_narrow_edgetpu<int8_t>,
                                avx2::resize_narrow_edgetpu<uint8_t>};

}  // namespace

const ResizeTable* avx2_resize() { return &kTable; }

}  // namespace edgetwin::kernels
