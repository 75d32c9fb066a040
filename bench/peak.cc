// The dot-product instruction at full speed: more independent sums than its latency needs, no
// memory.
#include <chrono>

#include "runner.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace edgetwin::bench {
namespace {

constexpr int kSums = 12;

#if defined(__x86_64__)
// Operands change places with the optimiser's knowledge: it must not see that they are constant.
__attribute__((target("avx512f,avx512vnni"))) void spin_avx512_vnni(long rounds) {
  __m512i sums[kSums] = {};
  __m512i x = _mm512_set1_epi8(3), w = _mm512_set1_epi8(5);
  for (long i = 0; i < rounds; ++i) {
    asm volatile("" : "+v"(x), "+v"(w));
#pragma GCC unroll 12
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, x, w);
  }
#pragma GCC unroll 12
  for (__m512i& sum : sums) asm volatile("" : : "v"(sum));
}

__attribute__((target("avx2,avxvnni"))) void spin_avx_vnni(long rounds) {
  __m256i sums[kSums] = {};
  __m256i x = _mm256_set1_epi8(3), w = _mm256_set1_epi8(5);
  for (long i = 0; i < rounds; ++i) {
    asm volatile("" : "+x"(x), "+x"(w));
#pragma GCC unroll 12
    for (__m256i& sum : sums) sum = _mm256_dpbusd_avx_epi32(sum, x, w);
  }
#pragma GCC unroll 12
  for (__m256i& sum : sums) asm volatile("" : : "x"(sum));
}

__attribute__((target("avx2"))) void spin_avx2(long rounds) {
  __m256i sums[kSums] = {};
  __m256i x = _mm256_set1_epi8(3), w = _mm256_set1_epi8(5);
  for (long i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (__m256i& sum : sums) {
      asm volatile("" : "+x"(x), "+x"(w));  // else one product would serve all sums
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(x, w));
    }
  }
#pragma GCC unroll 12
  for (__m256i& sum : sums) asm volatile("" : : "x"(sum));
}
#endif

template <class Spin>
double rate(const Spin& spin, int macs_per_instruction) {
  constexpr long rounds = 200000;
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    spin(rounds);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    best = std::max(best, 1.0 * rounds * kSums * macs_per_instruction / time.count());
  }
  return best;
}

}  // namespace

double dot_product_peak(kernels::Isa isa) {
  switch (isa) {
#if defined(__x86_64__)
    case kernels::Isa::avx512_vnni:
      return rate(spin_avx512_vnni, 64);
    case kernels::Isa::avx_vnni:
      return rate(spin_avx_vnni, 32);
    case kernels::Isa::avx2:
      return rate(spin_avx2, 16);
#endif
    default:
      return 0;
  }
}

}  // namespace edgetwin::bench
