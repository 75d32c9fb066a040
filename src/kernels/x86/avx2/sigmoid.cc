// LOGISTIC and TANH of 16 bits for AVX2: places in the table, entries one by one, and the way
// between them. Gathers take longer on AMD's third generation.
#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "kernels/core/row_table.h"
#include "kernels/x86/tables.h"

namespace edgetwin::kernels {
namespace {

using I = __m256i;

// Elements that are taken together: what is written at a time and read in other sizes has reached
// the cache by then.
constexpr std::ptrdiff_t kTogether = 128;

struct Block {
  alignas(32) int32_t values[kTogether];
  alignas(32) uint8_t places[kTogether];
};

struct Sigmoid {
  const uint32_t* table;
  I multiplier, half, fraction, one, offset;
  __m128i shift, fraction_bits, result_bits;

  explicit Sigmoid(const Sigmoid16& f)
      : table(f.table),
        multiplier(_mm256_set1_epi32(f.multiplier)),
        half(_mm256_set1_epi32(f.shift > 0 ? 1 << (f.shift - 1) : 0)),
        fraction(_mm256_set1_epi32(((1 << f.fraction_bits) - 1) << 16)),
        one(_mm256_set1_epi32(1 << f.fraction_bits)),
        offset(_mm256_set1_epi32((kMiddle << f.fraction_bits) + f.offset)),
        shift(_mm_cvtsi32_si128(f.shift)),
        fraction_bits(_mm_cvtsi32_si128(f.fraction_bits)),
        result_bits(_mm_cvtsi32_si128(f.result_bits)) {}

  // Of eight elements; what is left of their values are places.
  [[gnu::always_inline]] I place(const int16_t* x, int32_t* values) const {
    const I wide = _mm256_cvtepi16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(x)));
    const I product = _mm256_add_epi32(_mm256_mullo_epi32(wide, multiplier), half);
    const I value = _mm256_sra_epi32(product, shift);
    _mm256_store_si256(reinterpret_cast<I*>(values), value);
    return _mm256_srl_epi32(_mm256_abs_epi32(value), fraction_bits);
  }

  // Places beyond the table become its last one by saturation.
  void places(const int16_t* x, Block& b) const {
    const I order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    for (std::ptrdiff_t i = 0; i < kTogether; i += 32) {
      const I low =
          _mm256_packus_epi32(place(x + i, b.values + i), place(x + i + 8, b.values + i + 8));
      const I high = _mm256_packus_epi32(place(x + i + 16, b.values + i + 16),
                                         place(x + i + 24, b.values + i + 24));
      const I words = _mm256_set1_epi16(255);
      const I bytes =
          _mm256_packus_epi16(_mm256_min_epu16(low, words), _mm256_min_epu16(high, words));
      _mm256_store_si256(reinterpret_cast<I*>(b.places + i),
                         _mm256_permutevar8x32_epi32(bytes, order));
    }
  }

  [[gnu::always_inline]] I entries(const uint8_t* at) const {
    const auto entry = [&](int k) __attribute__((always_inline)) {
      return static_cast<int>(table[at[k]]);
    };
    return _mm256_setr_epi32(entry(0), entry(1), entry(2), entry(3), entry(4), entry(5), entry(6),
                             entry(7));
  }

  // Entries have values of 16 unsigned bits: less their middle they are signed, as products of
  // pairs of words take them. What is below zero is the complement of what is above.
  [[gnu::always_inline]] I result(const Block& b, std::ptrdiff_t i) const {
    const I value = _mm256_load_si256(reinterpret_cast<const I*>(b.values + i));
    const I entry = entries(b.places + i);
    const I way = _mm256_and_si256(_mm256_slli_epi32(_mm256_abs_epi32(value), 16), fraction);
    const I between = _mm256_madd_epi16(_mm256_xor_si256(entry, _mm256_set1_epi32(kMiddle)),
                                        _mm256_or_si256(way, one));
    const I both = _mm256_xor_si256(between, _mm256_srai_epi32(value, 31));
    return _mm256_sra_epi32(_mm256_add_epi32(both, offset), result_bits);
  }

  void run(const int16_t* x, int16_t* out, Block& b) const {
    places(x, b);
    for (std::ptrdiff_t i = 0; i < kTogether; i += 16) {
      const I words = _mm256_packs_epi32(result(b, i), result(b, i + 8));
      _mm256_storeu_si256(reinterpret_cast<I*>(out + i), _mm256_permute4x64_epi64(words, 0xD8));
    }
  }

 private:
  static constexpr int32_t kMiddle = 0x8000;
};

}  // namespace

void sigmoid16_avx2(const Sigmoid16& function, const int16_t* x, std::ptrdiff_t count,
                    int16_t* out) {
  const Sigmoid sigmoid(function);
  Block block;
  for (; count >= kTogether; count -= kTogether, x += kTogether, out += kTogether) {
    sigmoid.run(x, out, block);
  }
  if (count == 0) return;
  int16_t rest[kTogether] = {};
  int16_t results[kTogether];
  for (std::ptrdiff_t i = 0; i < count; ++i) rest[i] = x[i];
  sigmoid.run(rest, results, block);
  for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = results[i];
}

}  // namespace edgetwin::kernels
