#include "targets/edgetpu/machine/engines/dot.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace edgetwin::edgetpu::machine {

void dot_lanes(const std::byte* x, const std::byte* weights, int32_t input_zero,
               const int32_t* zero, int lanes, int32_t* sums) {
  const int32_t a = static_cast<int32_t>(x[0]) - input_zero;
  const int32_t b = static_cast<int32_t>(x[1]) - input_zero;
  const int32_t c = static_cast<int32_t>(x[2]) - input_zero;
  const int32_t d = static_cast<int32_t>(x[3]) - input_zero;
  const int32_t all = a + b + c + d;
  for (int l = 0; l < lanes; ++l) {
    const std::byte* w = weights + static_cast<ptrdiff_t>(l) * 4;
    const int32_t product = a * static_cast<int32_t>(w[0]) + b * static_cast<int32_t>(w[1]) +
                            c * static_cast<int32_t>(w[2]) + d * static_cast<int32_t>(w[3]);
    // A line of zero points may hold anything.
    add(sums[l], product);
    add(sums[l],
        static_cast<int32_t>(static_cast<uint32_t>(-all) * static_cast<uint32_t>(zero[l])));
  }
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
