#include "train/engine/tiles.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "train/engine/tiles_body.h"

namespace edgetwin::train {
namespace {

struct Avx512 {
  using V = __m512;
  static constexpr int kLanes = 16;
  static V load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, V v) { _mm512_storeu_ps(p, v); }
  static V set(float f) { return _mm512_set1_ps(f); }
  static V fma(V a, V b, V sum) { return _mm512_fmadd_ps(a, b, sum); }
};

constexpr TileFunctions kAvx512 = {row<Avx512, 6, 4>, sum<Avx512, 6, 4>};

}  // namespace

const TileFunctions* tiles_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 ? &kAvx512 : nullptr;
}

}  // namespace edgetwin::train
#else
namespace edgetwin::train {
const TileFunctions* tiles_avx512() { return nullptr; }
}  // namespace edgetwin::train
#endif
