#include "train/engine/tiles.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include "train/engine/tiles_body.h"

namespace edgetwin::train {
namespace {

struct Avx2 {
  using V = __m256;
  static constexpr int kLanes = 8;
  static V load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, V v) { _mm256_storeu_ps(p, v); }
  static V set(float f) { return _mm256_set1_ps(f); }
  static V fma(V a, V b, V sum) { return _mm256_fmadd_ps(a, b, sum); }
};

constexpr TileFunctions kAvx2 = {row<Avx2, 6, 2>, sum<Avx2, 6, 2>};

}  // namespace

const TileFunctions* tiles_avx2() {
  const bool has = __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return has ? &kAvx2 : nullptr;
}

}  // namespace edgetwin::train
#else
namespace edgetwin::train {
const TileFunctions* tiles_avx2() { return nullptr; }
}  // namespace edgetwin::train
#endif
