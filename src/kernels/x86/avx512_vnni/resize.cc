// Resizing between pixels for AVX-512.
#define EDGETWIN_ISA_NAMESPACE avx512_vnni
#include "kernels/core/resize_rows.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const ResizeTable* avx512_resize() { return &avx512_vnni::kResizeTable; }

}  // namespace edgetwin::kernels
