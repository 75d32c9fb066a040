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
constexpr std::ptrdiff_t kTogether = 256;

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
        fraction(_mm256_set1_epi32((1 << f.fraction_bits) - 1)),
        one(_mm256_set1_epi32(1 << (f.fraction_bits + 16))),
        offset(_mm256_set1_epi32(static_cast<int>(kMiddle << f.fraction_bits) + f.offset)),
        shift(_mm_cvtsi32_si128(f.shift)),
        fraction_bits(_mm_cvtsi32_si128(f.fraction_bits)),
        result_bits(_mm_cvtsi32_si128(f.result_bits)) {}

  // Of eight elements, each beside a zero; what is left of their values are places.
  [[gnu::always_inline]] I place(I pairs, int32_t* values) const {
    const I product = _mm256_add_epi32(_mm256_madd_epi16(pairs, multiplier), half);
    const I value = _mm256_sra_epi32(product, shift);
    _mm256_store_si256(reinterpret_cast<I*>(values), value);
    return _mm256_srl_epi32(_mm256_abs_epi32(value), fraction_bits);
  }

  // Of sixteen: values of elements 0 to 3, 8 to 11, then of 4 to 7, 12 to 15, as words are
  // unpacked within 128 bits; packed they are in order again.
  [[gnu::always_inline]] I words(const int16_t* x, int32_t* values) const {
    const I elements = _mm256_loadu_si256(reinterpret_cast<const I*>(x));
    const I none = _mm256_setzero_si256();
    const I places = _mm256_packus_epi32(place(_mm256_unpacklo_epi16(elements, none), values),
                                         place(_mm256_unpackhi_epi16(elements, none), values + 8));
    return _mm256_min_epu16(places, _mm256_set1_epi16(255));
  }

  // Places beyond the table become its last one by saturation. Of 32 elements 0 to 7, 16 to 23,
  // 8 to 15, 24 to 31.
  void places(const int16_t* x, Block& b) const {
    for (std::ptrdiff_t i = 0; i < kTogether; i += 32) {
      const I bytes =
          _mm256_packus_epi16(words(x + i, b.values + i), words(x + i + 16, b.values + i + 16));
      _mm256_store_si256(reinterpret_cast<I*>(b.places + i), bytes);
    }
  }

  // Of elements 0 to 3 and 8 to 11 of those that begin at `at`.
  [[gnu::always_inline]] I entries(const uint8_t* at) const {
    const auto entry = [&](int k) __attribute__((always_inline)) {
      return static_cast<int>(table[at[k]]);
    };
    return _mm256_setr_epi32(entry(0), entry(1), entry(2), entry(3), entry(16), entry(17),
                             entry(18), entry(19));
  }

  // Entries have values of 16 unsigned bits: less their middle they are signed, as products of
  // pairs of words take them. What is below zero is the complement of what is above. The shifts'
  // units are the bound: comparisons and masks stand where shifts would do.
  [[gnu::always_inline]] I result(const int32_t* values, const uint8_t* at) const {
    const I value = _mm256_load_si256(reinterpret_cast<const I*>(values));
    const I entry =
        _mm256_xor_si256(entries(at), _mm256_set1_epi32(static_cast<int>(kMiddle << 16)));
    const I way = _mm256_and_si256(_mm256_abs_epi32(value), fraction);
    const I between = _mm256_madd_epi16(entry, _mm256_or_si256(way, one));
    const I below = _mm256_cmpgt_epi32(_mm256_setzero_si256(), value);
    const I both = _mm256_xor_si256(between, below);
    return _mm256_sra_epi32(_mm256_add_epi32(both, offset), result_bits);
  }

  void run(const int16_t* x, int16_t* out, Block& b) const {
    places(x, b);
    for (std::ptrdiff_t i = 0; i < kTogether; i += 16) {
      const int32_t* const values = b.values + i;
      const uint8_t* const at = b.places + (i & ~std::ptrdiff_t{31}) + (i & 16) / 2;
      const I words = _mm256_packs_epi32(result(values, at), result(values + 8, at + 4));
      _mm256_storeu_si256(reinterpret_cast<I*>(out + i), words);
    }
  }

 private:
  static constexpr uint32_t kMiddle = 0x8000;
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
