#include "targets/edgetpu/machine/lanes/dot.h"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace edgetwin::edgetpu::machine {

namespace {

// Four differences of bytes as words, for _mm_madd_epi16.
struct Inputs {
  std::array<std::array<int16_t, 4>, kMostTogether> words;
  int32_t all = 0;
  bool narrow = true;  // all differences are words
};

Inputs inputs_of(const DotPlace* places, size_t count, int32_t input_zero) {
  Inputs in;
  // Bytes are at most 255 more than this.
  in.narrow = input_zero >= INT16_MIN + 512 && input_zero <= INT16_MAX - 512;
  for (size_t n = 0; n < count; ++n) {
    for (size_t i = 0; i < 4; ++i) {
      const int32_t difference = static_cast<int32_t>(places[n].x[i]) - input_zero;
      add(in.all, difference);
      in.words[n][i] = static_cast<int16_t>(difference);
    }
  }
  return in;
}

// Lanes [from, lanes) one after the other; differences may be of any size.
void dot_rest(const DotPlace* places, size_t count, int32_t input_zero, int from, int lanes,
              int32_t* sums) {
  for (size_t n = 0; n < count; ++n) {
    const std::byte* x = places[n].x;
    for (int l = from; l < lanes; ++l) {
      const std::byte* w = places[n].weights + static_cast<ptrdiff_t>(l) * 4;
      uint32_t product = 0;
      for (size_t i = 0; i < 4; ++i) {
        product += static_cast<uint32_t>(static_cast<int32_t>(x[i]) - input_zero) *
                   static_cast<uint32_t>(w[i]);
      }
      add(sums[l], static_cast<int32_t>(product));
    }
  }
}

#if defined(__SSE2__)
// Four lanes in a vector: bytes become words, whose products are summed in pairs; the two sums of a
// lane meet at the end.
template <int Vectors>
void dot_vectors(const DotPlace* places, size_t count, const Inputs& in, int first, int32_t* sums) {
  const __m128i none = _mm_setzero_si128();
  __m128i low[Vectors], high[Vectors];
  for (int v = 0; v < Vectors; ++v) low[v] = high[v] = none;
  for (size_t n = 0; n < count; ++n) {
    const __m128i four = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(in.words[n].data()));
    const __m128i x = _mm_unpacklo_epi64(four, four);
    const auto* weights =
        reinterpret_cast<const __m128i*>(places[n].weights + ptrdiff_t{first} * 4);
    for (int v = 0; v < Vectors; ++v) {
      const __m128i w = _mm_loadu_si128(weights + v);
      low[v] = _mm_add_epi32(low[v], _mm_madd_epi16(_mm_unpacklo_epi8(w, none), x));
      high[v] = _mm_add_epi32(high[v], _mm_madd_epi16(_mm_unpackhi_epi8(w, none), x));
    }
  }
  for (int v = 0; v < Vectors; ++v) {
    const __m128 a = _mm_castsi128_ps(low[v]), b = _mm_castsi128_ps(high[v]);
    const __m128i pairs = _mm_add_epi32(_mm_castps_si128(_mm_shuffle_ps(a, b, 0x88)),
                                        _mm_castps_si128(_mm_shuffle_ps(a, b, 0xDD)));
    auto* to = reinterpret_cast<__m128i*>(sums + first + 4 * v);
    _mm_storeu_si128(to, _mm_add_epi32(_mm_loadu_si128(to), pairs));
  }
}

// Returns how many lanes are done.
int dot_fours(const DotPlace* places, size_t count, const Inputs& in, int lanes, int32_t* sums) {
  int l = 0;
  for (; l + 16 <= lanes; l += 16) dot_vectors<4>(places, count, in, l, sums);
  for (; l + 4 <= lanes; l += 4) dot_vectors<1>(places, count, in, l, sums);
  return l;
}
#else
int dot_fours(const DotPlace*, size_t, const Inputs&, int, int32_t*) { return 0; }
#endif

}  // namespace

int32_t dot_bytes(const DotPlace* places, size_t count, int32_t input_zero, int lanes,
                  int32_t* sums) {
  const Inputs in = inputs_of(places, count, input_zero);
  const int done = in.narrow ? dot_fours(places, count, in, lanes, sums) : 0;
  if (done < lanes) dot_rest(places, count, input_zero, done, lanes, sums);
  return in.all;
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
  const DotPlace place{x, weights};
  take_zeros(dot_bytes(&place, 1, input_zero, lanes, sums), zero, lanes, sums);
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
