// Two operands of bytes for AVX2, 32 elements at a time. Shuffles and shifts have half of the units
// that products have (AMD's third generation), so that bytes are unpacked and packed within 128
// bits, where they come back in order.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/core/pair_table.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

using I = __m256i;
constexpr std::ptrdiff_t kTogether = 32;

I load(const std::byte* p) { return _mm256_loadu_si256(reinterpret_cast<const I*>(p)); }

// Weights are 256 times a word, and a byte more: x stands in the upper half of a word, so that the
// product of one word is that of 256 of them.
struct ByteSum {
  I upper, lower, addend;
  __m128i shift;

  explicit ByteSum(const BytePairs& c)
      : upper(both(c.weight_a >> 8, c.weight_b >> 8)),
        lower(both(c.weight_a & 255, c.weight_b & 255)),
        addend(_mm256_set1_epi32(c.addend)),
        shift(_mm_cvtsi32_si128(c.shift)) {}

  static I both(int a, int b) {
    return _mm256_set1_epi32(
        static_cast<int>(static_cast<uint32_t>(b) << 16 | (static_cast<uint32_t>(a) & 0xFFFF)));
  }
  // Of eight pairs of words.
  [[gnu::always_inline]] I of(I pairs) const {
    const I sum = _mm256_add_epi32(_mm256_madd_epi16(pairs, upper), addend);
    const I rest = _mm256_srai_epi32(_mm256_madd_epi16(pairs, lower), 8);
    return _mm256_sra_epi32(_mm256_add_epi32(sum, rest), shift);
  }
  // Of sixteen pairs of bytes.
  [[gnu::always_inline]] I words(I pairs) const {
    const I none = _mm256_setzero_si256();
    return _mm256_packs_epi32(of(_mm256_unpacklo_epi8(none, pairs)),
                              of(_mm256_unpackhi_epi8(none, pairs)));
  }
  [[gnu::always_inline]] I operator()(I a, I b) const {
    return _mm256_packs_epi16(words(_mm256_unpacklo_epi8(a, b)), words(_mm256_unpackhi_epi8(a, b)));
  }
};

template <bool biased>
struct ByteProduct {
  I zero_a, zero_b, zero_out;
  __m256 factor, bias;

  explicit ByteProduct(const BytePairs& c)
      : zero_a(_mm256_set1_epi16(static_cast<int16_t>(c.zero_a))),
        zero_b(_mm256_set1_epi16(static_cast<int16_t>(c.zero_b))),
        zero_out(_mm256_set1_epi16(static_cast<int16_t>(c.zero_out))),
        factor(_mm256_set1_ps(c.factor)),
        bias(_mm256_set1_ps(c.bias)) {}

  [[gnu::always_inline]] I of(I products) const {
    const __m256 result = _mm256_mul_ps(_mm256_cvtepi32_ps(products), factor);
    if constexpr (!biased) return _mm256_cvtps_epi32(result);
    const __m256 sign = _mm256_and_ps(result, _mm256_set1_ps(-0.0F));
    return _mm256_cvtps_epi32(_mm256_add_ps(result, _mm256_or_ps(sign, bias)));
  }
  // Of sixteen words each, which are bytes in their upper halves.
  [[gnu::always_inline]] I words(I a, I b) const {
    const I x = _mm256_sub_epi16(_mm256_srai_epi16(a, 8), zero_a);
    const I y = _mm256_sub_epi16(_mm256_srai_epi16(b, 8), zero_b);
    const I low = _mm256_mullo_epi16(x, y), high = _mm256_mulhi_epi16(x, y);
    const I results = _mm256_packs_epi32(of(_mm256_unpacklo_epi16(low, high)),
                                         of(_mm256_unpackhi_epi16(low, high)));
    return _mm256_adds_epi16(results, zero_out);
  }
  [[gnu::always_inline]] I operator()(I a, I b) const {
    const I none = _mm256_setzero_si256();
    return _mm256_packs_epi16(words(_mm256_unpacklo_epi8(none, a), _mm256_unpacklo_epi8(none, b)),
                              words(_mm256_unpackhi_epi8(none, a), _mm256_unpackhi_epi8(none, b)));
  }
};

// The Edge TPU's sums and products in single precision, with what lies exactly between two results.
struct ChipPairs {
  I weights, number, zero_a, zero_b, zero_out;
  __m256 factor, low, high;

  explicit ChipPairs(const PairConstants& c)
      : weights(ByteSum::both(c.weight_a, c.weight_b)),
        number(_mm256_set1_epi32(c.number)),
        zero_a(_mm256_set1_epi16(static_cast<int16_t>(c.zero_a - middle(c)))),
        zero_b(_mm256_set1_epi16(static_cast<int16_t>(c.zero_b - middle(c)))),
        zero_out(_mm256_set1_epi16(static_cast<int16_t>(c.zero_out - middle(c)))),
        factor(_mm256_set1_ps(c.factor)),
        low(_mm256_set1_ps(c.float_low)),
        high(_mm256_set1_ps(c.float_high)) {}

  static int middle(const PairConstants& c) { return c.mask < 0 ? 0 : 128; }

  [[gnu::always_inline]] I round(I sum, __m256& tie) const {
    const __m256 f =
        _mm256_min_ps(_mm256_max_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(sum), factor), low), high);
    const I rounded = _mm256_cvtps_epi32(f);
    const __m256 apart =
        _mm256_andnot_ps(_mm256_set1_ps(-0.0F), _mm256_sub_ps(f, _mm256_cvtepi32_ps(rounded)));
    tie = _mm256_cmp_ps(apart, _mm256_set1_ps(0.5F), _CMP_EQ_OQ);
    return rounded;
  }
  // Of sixteen words each, which are bytes in their upper halves.
  template <bool product>
  [[gnu::always_inline]] I words(I a, I b, __m256* ties) const {
    const I x = _mm256_sub_epi16(_mm256_srai_epi16(a, 8), zero_a);
    const I y = _mm256_sub_epi16(_mm256_srai_epi16(b, 8), zero_b);
    I first, second;
    if constexpr (product) {
      const I low_halves = _mm256_mullo_epi16(x, y), high_halves = _mm256_mulhi_epi16(x, y);
      first = _mm256_unpacklo_epi16(low_halves, high_halves);
      second = _mm256_unpackhi_epi16(low_halves, high_halves);
    } else {
      first = _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpacklo_epi16(x, y), weights), number);
      second = _mm256_add_epi32(_mm256_madd_epi16(_mm256_unpackhi_epi16(x, y), weights), number);
    }
    return _mm256_adds_epi16(_mm256_packs_epi32(round(first, ties[0]), round(second, ties[1])),
                             zero_out);
  }
};

I operand(const std::byte* p, std::ptrdiff_t i, int step, I stays) {
  return step != 0 ? load(p + i) : stays;
}

// Whole vectors; how many elements they were.
template <bool product>
std::ptrdiff_t chip_pairs(const PairConstants& c, const PairRun& run) {
  const ChipPairs rule(c);
  const I none = _mm256_setzero_si256();
  const I flip = _mm256_set1_epi8(static_cast<char>(ChipPairs::middle(c)));
  const I stays_a = _mm256_set1_epi8(static_cast<char>(*run.a));
  const I stays_b = _mm256_set1_epi8(static_cast<char>(*run.b));
  std::ptrdiff_t i = 0;
  for (; i + kTogether <= run.count; i += kTogether) {
    const I a = _mm256_xor_si256(operand(run.a, i, run.step_a, stays_a), flip);
    const I b = _mm256_xor_si256(operand(run.b, i, run.step_b, stays_b), flip);
    __m256 ties[4];
    const I low =
        rule.words<product>(_mm256_unpacklo_epi8(none, a), _mm256_unpacklo_epi8(none, b), ties);
    const I high =
        rule.words<product>(_mm256_unpackhi_epi8(none, a), _mm256_unpackhi_epi8(none, b), ties + 2);
    const I result = _mm256_xor_si256(_mm256_packs_epi16(low, high), flip);
    _mm256_storeu_si256(reinterpret_cast<I*>(run.out + i), result);
    const __m256 any = _mm256_or_ps(_mm256_or_ps(ties[0], ties[1]), _mm256_or_ps(ties[2], ties[3]));
    if (__builtin_expect(_mm256_movemask_ps(any) == 0, 1)) continue;
    int64_t met = 0;
    for (const __m256 tie : ties) {
      met += __builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(tie)));
    }
    __atomic_fetch_add(c.ties, met, __ATOMIC_RELAXED);
  }
  return i;
}

// Operands that stay are one vector from the beginning.
template <class Rule>
void byte_pairs(const BytePairs& c, const PairRun& run) {
  const Rule rule(c);
  const I flip = _mm256_set1_epi8(static_cast<char>(c.flip));
  const I low = _mm256_set1_epi8(static_cast<char>(c.low));
  const I high = _mm256_set1_epi8(static_cast<char>(c.high));
  const I stays_a = _mm256_set1_epi8(static_cast<char>(*run.a));
  const I stays_b = _mm256_set1_epi8(static_cast<char>(*run.b));
  const auto one = [&](I a, I b) __attribute__((always_inline)) {
    const I result = rule(_mm256_xor_si256(a, flip), _mm256_xor_si256(b, flip));
    return _mm256_xor_si256(_mm256_min_epi8(_mm256_max_epi8(result, low), high), flip);
  };
  std::ptrdiff_t i = 0;
  for (; i + kTogether <= run.count; i += kTogether) {
    const I result =
        one(operand(run.a, i, run.step_a, stays_a), operand(run.b, i, run.step_b, stays_b));
    _mm256_storeu_si256(reinterpret_cast<I*>(run.out + i), result);
  }
  if (i == run.count) return;
  const auto left = static_cast<std::size_t>(run.count - i);
  alignas(32) std::byte a[kTogether] = {}, b[kTogether] = {}, out[kTogether];
  std::memcpy(a, run.a + i * run.step_a, run.step_a != 0 ? left : 1);
  std::memcpy(b, run.b + i * run.step_b, run.step_b != 0 ? left : 1);
  const I result = one(operand(a, 0, run.step_a, stays_a), operand(b, 0, run.step_b, stays_b));
  _mm256_store_si256(reinterpret_cast<I*>(out), result);
  std::memcpy(run.out + i, out, left);
}

}  // namespace

std::ptrdiff_t chip_pairs_avx2(const PairConstants& c, const PairRun& run) {
  constexpr int kWords = INT16_MAX;
  const auto fits = [](int32_t weight) { return weight >= -kWords && weight <= kWords; };
  if (c.element_bytes != 1 || run.count < kTogether) return 0;
  if (c.form == PairForm::float_product) return chip_pairs<true>(c, run);
  if (c.form != PairForm::float_sum || !fits(c.weight_a) || !fits(c.weight_b)) return 0;
  return chip_pairs<false>(c, run);
}

void byte_pairs_avx2(const BytePairs& c, const PairRun& run) {
  if (run.count <= 0) return;
  if (c.product && c.bias != 0.0F) return byte_pairs<ByteProduct<true>>(c, run);
  if (c.product) return byte_pairs<ByteProduct<false>>(c, run);
  byte_pairs<ByteSum>(c, run);
}

}  // namespace edgetwin::kernels
