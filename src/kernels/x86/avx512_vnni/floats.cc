// AVX-512: 32 registers hold a tile of 12 x 32.
#include <immintrin.h>

#define EDGETWIN_ISA_NAMESPACE avx512

namespace edgetwin::kernels::avx512 {

struct FloatVec {
  static constexpr const char* kPath = "avx512";
  static constexpr int kLanes = 16;
  static constexpr int kRows = 12;
  __m512 v;

  static FloatVec load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static FloatVec all(float x) { return {_mm512_set1_ps(x)}; }
  static FloatVec fma(FloatVec a, FloatVec b, FloatVec c) {
    return {_mm512_fmadd_ps(a.v, b.v, c.v)};
  }
  static FloatVec multiply(FloatVec a, FloatVec b) { return {_mm512_mul_ps(a.v, b.v)}; }
  static FloatVec add(FloatVec a, FloatVec b) { return {_mm512_add_ps(a.v, b.v)}; }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
};

}  // namespace edgetwin::kernels::avx512

#include "kernels/x86/floats.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const FloatTable* avx512_floats() { return &avx512::kFloatTable; }

}  // namespace edgetwin::kernels
