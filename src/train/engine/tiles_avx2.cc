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
  static V add(V a, V b) { return _mm256_add_ps(a, b); }
  // a > b ? x : y and a == b ? x : 0, in each lane.
  static V if_more(V a, V b, V x, V y) {
    return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_GT_OQ));
  }
  static V if_equal(V a, V b, V x) { return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ), x); }
};

constexpr TileFunctions kAvx2 = {row<Avx2, 6, 2>, sum<Avx2, 6, 2>, pick<Avx2>};

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
