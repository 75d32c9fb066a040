// The same in registers twice as wide, a product and its sum in one instruction.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#define EDGETWIN_ISA_NAMESPACE flow_vnni

namespace edgetwin::robotics::flow_vnni {

struct Lanes {
  static constexpr size_t kCount = 32;
  __m512i v;

  static Lanes zero() { return {_mm512_setzero_si512()}; }
  static Lanes load(const int16_t* p) { return {_mm512_loadu_si512(p)}; }
  void add_products(Lanes a, Lanes b) { v = _mm512_dpwssd_epi32(v, a.v, b.v); }
  int64_t sum() const {
    alignas(64) int32_t out[16];
    _mm512_store_si512(out, v);
    int64_t total = 0;
    for (const int32_t lane : out) total += lane;
    return total;
  }
};

}  // namespace edgetwin::robotics::flow_vnni

#include "robotics/flow/x86/flow_shifts.h"

namespace edgetwin::robotics {

void vnni_dot_shifts(const Shifts& s, size_t between) { flow_vnni::dot_all(s, between); }

}  // namespace edgetwin::robotics
