// AVX2 with FMA: sixteen registers hold a tile of 6 x 16.
#include <immintrin.h>

#define EDGETWIN_ISA_NAMESPACE avx2

namespace edgetwin::kernels::avx2 {

struct FloatVec {
  static constexpr const char* kPath = "avx2";
  static constexpr int kLanes = 8;
  static constexpr int kRows = 6;
  __m256 v;

  static FloatVec load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static FloatVec all(float x) { return {_mm256_set1_ps(x)}; }
  static FloatVec fma(FloatVec a, FloatVec b, FloatVec c) {
    return {_mm256_fmadd_ps(a.v, b.v, c.v)};
  }
  static FloatVec multiply(FloatVec a, FloatVec b) { return {_mm256_mul_ps(a.v, b.v)}; }
  static FloatVec add(FloatVec a, FloatVec b) { return {_mm256_add_ps(a.v, b.v)}; }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
};

}  // namespace edgetwin::kernels::avx2

#include "kernels/x86/floats.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {

const FloatTable* avx2_floats() { return &avx2::kFloatTable; }

}  // namespace edgetwin::kernels
