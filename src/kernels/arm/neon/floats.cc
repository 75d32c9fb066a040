// Floats for NEON, which has the fused multiply-add. Of 12 x 8 sums GCC keeps some in memory.
#include <arm_neon.h>

#define EDGETWIN_ISA_NAMESPACE neon

namespace edgetwin::kernels::neon {

struct FloatVec {
  static constexpr const char* kPath = "neon";
  static constexpr int kLanes = 4;
  static constexpr int kRows = 10;
  float32x4_t v;

  static FloatVec load(const float* p) { return {vld1q_f32(p)}; }
  static FloatVec all(float x) { return {vdupq_n_f32(x)}; }
  static FloatVec fma(FloatVec a, FloatVec b, FloatVec c) { return {vfmaq_f32(c.v, a.v, b.v)}; }
  static FloatVec multiply(FloatVec a, FloatVec b) { return {vmulq_f32(a.v, b.v)}; }
  static FloatVec add(FloatVec a, FloatVec b) { return {vaddq_f32(a.v, b.v)}; }
  void store(float* p) const { vst1q_f32(p, v); }
};

}  // namespace edgetwin::kernels::neon

#include "kernels/arm/tables.h"
#include "kernels/x86/floats.h"

namespace edgetwin::kernels {

const FloatTable* neon_floats() { return &neon::kFloatTable; }

}  // namespace edgetwin::kernels
