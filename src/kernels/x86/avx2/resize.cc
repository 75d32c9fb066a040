// Resizing between pixels for AVX2.
#define EDGETWIN_ISA_NAMESPACE avx2
#include "kernels/x86/resize_singles.h"
#include "kernels/x86/resize_walk.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const ResizeTable* avx2_resize() { return &avx2::kWholeResizeTable; }

}  // namespace edgetwin::kernels
