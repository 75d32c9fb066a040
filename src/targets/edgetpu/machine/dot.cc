#include "targets/edgetpu/machine/dot.h"

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

void dot_pairs(const std::byte* x, const std::byte* pairs, int lanes, int32_t* sums) {
  for (int l = 0; l < lanes; ++l) {
    int16_t pair[2];
    std::memcpy(pair, pairs + static_cast<ptrdiff_t>(l) * 4, 4);
    add(sums[l], static_cast<int32_t>(x[0]) * pair[0] + static_cast<int32_t>(x[1]) * pair[1]);
  }
}

void dot_halves(int32_t x, const std::byte* halves, int32_t zero, int lanes, int32_t* sums) {
  for (int l = 0; l < lanes; ++l) {
    uint16_t half = 0;
    std::memcpy(&half, halves + static_cast<ptrdiff_t>(l) * 4, 2);
    // 16 bits by 17: beyond 32 bits it wraps as the sum does.
    const int64_t product = int64_t{x} * (static_cast<int32_t>(half) - zero);
    add(sums[l], static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(product))));
  }
}

void dot_bytes(int32_t x, const std::byte* bytes, int32_t zero, int lanes, int32_t* sums) {
  for (int l = 0; l < lanes; ++l) {
    add(sums[l], x * (static_cast<int32_t>(bytes[static_cast<ptrdiff_t>(l) * 4]) - zero));
  }
}

}  // namespace edgetwin::edgetpu::machine
