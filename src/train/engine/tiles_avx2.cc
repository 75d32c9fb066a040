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
  static V sub(V a, V b) { return _mm256_sub_ps(a, b); }
  static V mul(V a, V b) { return _mm256_mul_ps(a, b); }
  static V floor(V v) { return _mm256_floor_ps(v); }
  // Whole numbers of -1, 0 and 1.
  static void store_bytes(int8_t* p, V v) {
    const __m256i n = _mm256_cvtps_epi32(v);
    const __m128i words =
        _mm_packs_epi32(_mm256_castsi256_si128(n), _mm256_extracti128_si256(n, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_packs_epi16(words, words));
  }
  // a > b ? 1 : 0 and a >= b ? 1 : 0, in each lane.
  static V more(V a, V b) { return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ), set(1)); }
  static V not_less(V a, V b) { return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_GE_OQ), set(1)); }
  // a > b ? x : y and a == b ? x : 0, in each lane.
  static V if_more(V a, V b, V x, V y) {
    return _mm256_blendv_ps(y, x, _mm256_cmp_ps(a, b, _CMP_GT_OQ));
  }
  static V if_equal(V a, V b, V x) { return _mm256_and_ps(_mm256_cmp_ps(a, b, _CMP_EQ_OQ), x); }
};

struct Quarter {
  using V = __m128;
  static constexpr int kLanes = 4;
  static V load(const float* p) { return _mm_loadu_ps(p); }
  static void store(float* p, V v) { _mm_storeu_ps(p, v); }
  static V set(float f) { return _mm_set1_ps(f); }
  static V fma(V a, V b, V sum) { return _mm_fmadd_ps(a, b, sum); }
};

// Groups of 16 channels, then what is left in vectors that are no wider than it needs: processors
// that compute 256 bits in two halves save time by it.
struct Columns {
  template <class Body>
  static void each(int channels, const Body& body) {
    int c = 0;
    for (; channels - c > 12; c += kBlock) body.template operator()<Avx2, Nothing, 6, 2>(c);
    const int left = channels - c;
    if (left > 8) {
      body.template operator()<Avx2, Quarter, 6, 1>(c);
    } else if (left > 4) {
      body.template operator()<Avx2, Nothing, 12, 1>(c);
    } else if (left > 0) {
      body.template operator()<Quarter, Nothing, 12, 1>(c);
    }
  }
};

constexpr TileFunctions kAvx2 = {row<Columns>, sum<Columns>, pick<Avx2>, finish<Avx2>};

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
