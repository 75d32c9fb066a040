#include "kernels/elements/rows.h"

#include "kernels/x86/tables.h"

#if !defined(__x86_64__)
#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/core/row_loops.h"
#include "kernels/core/softmax_loops.h"
#endif

namespace edgetwin::kernels {

#if defined(__x86_64__)

const RowTable* row_table(Isa isa) {
  if (isa == Isa::plain || !available(isa)) return nullptr;
  return isa == Isa::avx512_vnni ? avx512_rows() : avx2_rows();
}

#else

namespace {

using any::Bytes8;
using any::Halves8;
using any::Words8;

struct Unit {
  static Words8 entries(const uint32_t* table, const uint8_t* at) {
    Words8 found;
    for (int i = 0; i < 8; ++i) found[i] = table[at[i]];
    return found;
  }
  static Words8 high(Words8 x, uint32_t factor, uint64_t addend) {
    Words8 high;
    for (int i = 0; i < 8; ++i) {
      high[i] = static_cast<uint32_t>((uint64_t{x[i]} * factor + addend) >> 32);
    }
    return high;
  }
  static Bytes8 bytes(Words8 x) {
    return __builtin_convertvector(x < 255 ? x : Words8{} + 255, Bytes8);
  }
  static Halves8 halves(Words8 x) {
    return __builtin_convertvector(x < 65535 ? x : Words8{} + 65535, Halves8);
  }
};

constexpr RowTable kPortable = {any::row_largest,   any::row_squares,        any::row_portions,
                                any::row_sigmoid16, any::softmax_rows<Unit>, any::row_chip_portions,
                                any::row_chip_row};

}  // namespace

const RowTable* row_table(Isa isa) {
  return isa == Isa::plain || !available(isa) ? nullptr : &kPortable;
}

#endif

}  // namespace edgetwin::kernels
