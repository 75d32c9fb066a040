#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/elements/resize.h"

#include "kernels/core/resize_loops.h"
#include "kernels/core/resize_narrow.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

constexpr ResizeTable kPortable = {any::resize_bytes,
                                   any::resize_unsigned_bytes,
                                   any::resize_edgetpu<int8_t>,
                                   any::resize_edgetpu<uint8_t>,
                                   any::resize_narrow_bytes,
                                   any::resize_narrow_unsigned_bytes,
                                   any::resize_narrow_edgetpu<int8_t>,
                                   any::resize_narrow_edgetpu<uint8_t>};

}  // namespace

const ResizeTable* resize_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
#if defined(__x86_64__)
  if (isa == Isa::avx512_vnni) return avx512_resize();
  if (isa == Isa::avx2 || isa == Isa::avx_vnni) return avx2_resize();
#endif
  return &kPortable;
}

}  // namespace edgetwin::kernels
