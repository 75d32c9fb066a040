// Resizing between pixels for AVX-512.
#define EDGETWIN_ISA_NAMESPACE avx512_vnni
#include "kernels/x86/resize_singles.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const ResizeTable* avx512_resize() { return &avx512_vnni::kWholeResizeTable; }

}  // namespace edgetwin::kernels
