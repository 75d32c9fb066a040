#include "kernels/elements/rows.h"

#include "kernels/x86/tables.h"

#if !defined(__x86_64__)
#define EDGETWIN_ISA_NAMESPACE any
#include "kernels/core/chip_softmax_loops.h"
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

struct ChipUnit {
  static any::ChipInts nearest(any::ChipFloats x) {
    constexpr float kUnitSteps = 12582912.0F;
    return __builtin_convertvector((x + kUnitSteps) - kUnitSteps, any::ChipInts);
  }
  static any::ChipFloats larger(any::ChipFloats a, any::ChipFloats b) { return a > b ? a : b; }
  static any::ChipFloats smaller(any::ChipFloats a, any::ChipFloats b) { return a < b ? a : b; }
  static any::ChipWords wide(any::ChipHalves x) {
    return __builtin_convertvector(x, any::ChipWords);
  }
  static any::ChipFloats pick(const float* table, any::ChipInts at) {
    any::ChipFloats found;
    for (int i = 0; i < 8; ++i) found[i] = table[at[i]];
    return found;
  }
  static any::ChipBytes bytes(any::ChipInts a, any::ChipInts b, any::ChipInts c, any::ChipInts d) {
    const any::ChipInts all[] = {a, b, c, d};
    any::ChipBytes bytes;
    for (int i = 0; i < 32; ++i) {
      const int32_t x = all[i / 8][i % 8];
      bytes[i] = static_cast<uint8_t>(x < 0 ? 0 : x > 255 ? 255 : x);
    }
    return bytes;
  }
  static uint32_t differing(any::ChipBytes a, any::ChipBytes b) {
    uint32_t count = 0;
    for (int i = 0; i < 32; ++i) count += a[i] != b[i] ? 1 : 0;
    return count;
  }
};

constexpr RowTable kPortable = {any::row_largest,
                                any::row_squares,
                                any::row_portions,
                                any::row_sigmoid16,
                                any::softmax_rows<Unit>,
                                any::chip_row_sums<ChipUnit>,
                                any::chip_row_results<ChipUnit>,
                                any::chip_softmax_rows<ChipUnit>};

}  // namespace

const RowTable* row_table(Isa isa) {
  return isa == Isa::plain || !available(isa) ? nullptr : &kPortable;
}

#endif

}  // namespace edgetwin::kernels
