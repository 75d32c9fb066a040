#include "kernels/elements/resize.h"

#include "kernels/x86/tables.h"

#if !defined(__x86_64__)
#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/core/resize_loops.h"
#include "kernels/core/resize_narrow.h"
#endif

namespace edgetwin::kernels {

#if defined(__x86_64__)

const ResizeTable* resize_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
  return isa == Isa::avx512_vnni ? avx512_resize() : avx2_resize();
}

#else

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
  return isa == Isa::plain || !available(isa) ? nullptr : &kPortable;
}

#endif

}  // namespace edgetwin::kernels
