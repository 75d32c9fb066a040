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
  static V add(V a, V b) { return _mm512_add_ps(a, b); }
  static V sub(V a, V b) { return _mm512_sub_ps(a, b); }
  static V mul(V a, V b) { return _mm512_mul_ps(a, b); }
  static V floor(V v) { return _mm512_floor_ps(v); }
  // Whole numbers of -1, 0 and 1.
  static void store_bytes(int8_t* p, V v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(v)));
  }
  // a > b ? 1 : 0 and a >= b ? 1 : 0, in each lane.
  static V more(V a, V b) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), set(1));
  }
  static V not_less(V a, V b) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_GE_OQ), set(1));
  }
  // a > b ? x : y and a == b ? x : 0, in each lane.
  static V if_more(V a, V b, V x, V y) {
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(a, b, _CMP_GT_OQ), y, x);
  }
  static V if_equal(V a, V b, V x) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ), x);
  }
};

// Groups of 64 channels, then of 16, whose tiles have more places: as many chains as multipliers
// need.
struct Columns {
  template <class Body>
  static void each(int channels, const Body& body) {
    int c = 0;
    for (; channels - c > 3 * kBlock; c += 4 * kBlock) {
      body.template operator()<Avx512, Nothing, 6, 4>(c);
    }
    for (; c < channels; c += kBlock) body.template operator()<Avx512, Nothing, 14, 1>(c);
  }
};

constexpr TileFunctions kAvx512 = {row<Columns>, sum<Columns>, pick<Avx512>, finish<Avx512>};

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
