// Resizing between pixels for AVX-512.
#define EDGETWIN_ISA_NAMESPACE avx512_vnni
#include "kernels/core/resize_loops.h"
#include "kernels/core/resize_narrow.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr ResizeTable kTable = {avx512_vnni::resize_bytes,
                                avx512_vnni::resize_unsigned_bytes,
                                avx512_vnni::resize_edgetpu<int8_t>,
                                avx512_vnni::resize_edgetpu<uint8_t>,
                                avx512_vnni::resize_narrow_bytes,
                                avx512_vnni::resize_narrow_unsigned_bytes,
                                avx512_vnni::resize_narrow_edgetpu<int8_t>,
                                avx512_vnni::resize_narrow_edgetpu<uint8_t>};

}  // namespace

const ResizeTable* avx512_resize() { return &kTable; }

}  // namespace edgetwin::kernels
