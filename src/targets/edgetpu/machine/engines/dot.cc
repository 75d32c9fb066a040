#include "targets/edgetpu/machine/engines/dot.h"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace edgetwin::edgetpu::machine {

namespace {

// Lanes [from, lanes) one after the other; differences are at most 255 in either direction.
void dot_rest(const std::array<int32_t, 4>& x, const std::byte* weights, int from, int lanes,
              int32_t* sums) {
  for (int l = from; l < lanes; ++l) {
    const std::byte* w = weights + static_cast<ptrdiff_t>(l) * 4;
    int32_t product = 0;
    for (size_t i = 0; i < 4; ++i) product += x[i] * static_cast<int32_t>(w[i]);
    add(sums[l], product);
  }
}

#if defined(__SSE2__)
// Four lanes at a time: bytes become words, whose products are summed in pairs.
int dot_fours(const std::array<int32_t, 4>& x, const std::byte* weights, int lanes, int32_t* sums) {
  const auto word = [&x](size_t i) { return static_cast<short>(x[i]); };
  const __m128i in =
      _mm_setr_epi16(word(0), word(1), word(2), word(3), word(0), word(1), word(2), word(3));
  const __m128i none = _mm_setzero_si128();
  int l = 0;
  for (; l + 4 <= lanes; l += 4) {
    const __m128i w = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + 4 * l));
    const __m128 low = _mm_castsi128_ps(_mm_madd_epi16(_mm_unpacklo_epi8(w, none), in));
    const __m128 high = _mm_castsi128_ps(_mm_madd_epi16(_mm_unpackhi_epi8(w, none), in));
    const __m128i first = _mm_castps_si128(_mm_shuffle_ps(low, high, 0x88));
    const __m128i second = _mm_castps_si128(_mm_shuffle_ps(low, high, 0xDD));
    auto* to = reinterpret_cast<__m128i*>(sums + l);
    _mm_storeu_si128(to, _mm_add_epi32(_mm_loadu_si128(to), _mm_add_epi32(first, second)));
  }
  return l;
}
#else
int dot_fours(const std::array<int32_t, 4>&, const std::byte*, int, int32_t*) { return 0; }
#endif

}  // namespace

int32_t dot_bytes(const std::byte* x, const std::byte* weights, int32_t input_zero, int lanes,
                  int32_t* sums) {
  std::array<int32_t, 4> in;
  int32_t all = 0;
  bool narrow = true;
  for (size_t i = 0; i < 4; ++i) {
    in[i] = static_cast<int32_t>(x[i]) - input_zero;
    all += in[i];
    narrow = narrow && in[i] >= INT16_MIN && in[i] <= INT16_MAX;
  }
  dot_rest(in, weights, narrow ? dot_fours(in, weights, lanes, sums) : 0, lanes, sums);
  return all;
}

void take_zeros(int32_t all, const int32_t* zero, int lanes, int32_t* sums) {
  // A line of zero points may hold anything.
  for (int l = 0; l < lanes; ++l) {
    add(sums[l],
        static_cast<int32_t>(static_cast<uint32_t>(-all) * static_cast<uint32_t>(zero[l])));
  }
}

void dot_lanes(const std::byte* x, const std::byte* weights, int32_t input_zero,
               const int32_t* zero, int lanes, int32_t* sums) {
  take_zeros(dot_bytes(x, weights, input_zero, lanes, sums), zero, lanes, sums);
}

namespace {

template <class In, class Weight, size_t Products>
void dot(const std::byte* x, const std::byte* weights, int32_t input_zero, int32_t weight_zero,
         int lanes, int32_t* sums) {
  std::array<In, Products> in;
  std::array<uint32_t, Products> difference;
  std::memcpy(in.data(), x, sizeof in);
  for (size_t p = 0; p < Products; ++p) {
    difference[p] = uint32_t{in[p]} - static_cast<uint32_t>(input_zero);
  }
  for (int l = 0; l < lanes; ++l) {
    std::array<Weight, Products> w;
    std::memcpy(w.data(), weights + static_cast<ptrdiff_t>(l) * 4, sizeof w);
    auto sum = static_cast<uint32_t>(sums[l]);
    for (size_t p = 0; p < Products; ++p) {
      sum += difference[p] * (uint32_t{w[p]} - static_cast<uint32_t>(weight_zero));
    }
    sums[l] = static_cast<int32_t>(sum);
  }
}

struct DotForm {
  int input, weight, products;
  Dot dot;
};

constexpr DotForm kDots[] = {
    {1, 1, 1, dot<uint8_t, uint8_t, 1>},   {1, 1, 4, dot<uint8_t, uint8_t, 4>},
    {1, 2, 1, dot<uint8_t, uint16_t, 1>},  {1, 2, 2, dot<uint8_t, uint16_t, 2>},
    {2, 1, 1, dot<uint16_t, uint8_t, 1>},  {2, 1, 2, dot<uint16_t, uint8_t, 2>},
    {2, 2, 1, dot<uint16_t, uint16_t, 1>},
};

}  // namespace

Dot dot_of(int input, int weight, int products) {
  for (const DotForm& f : kDots) {
    if (f.input == input && f.weight == weight && f.products == products) return f.dot;
  }
  return nullptr;
}

void max_lanes(const std::byte* bytes, int32_t zero, int lanes, int32_t* sums) {
  for (int l = 0; l < lanes; ++l) {
    sums[l] = std::max(sums[l], static_cast<int32_t>(bytes[static_cast<ptrdiff_t>(l) * 4]) - zero);
  }
}

}  // namespace edgetwin::edgetpu::machine
