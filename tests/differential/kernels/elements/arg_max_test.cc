// Where the largest byte of a row is first, on every instruction set and for every length.
#include "kernels/elements/arg_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace edgetwin::kernels {
namespace {

TEST(ArgMaxKernels, FindTheFirstLargest) {
  XorShift32 random(11);
  constexpr int kRows = 37;  // two groups of sixteen, and five
  for (const Isa isa : available_isas()) {
    for (int length = 8; length <= 256; ++length) {
      const ArgMaxKernel kernel = arg_max8(isa, length);
      ASSERT_EQ(kernel == nullptr, isa == Isa::plain);
      if (kernel == nullptr) continue;
      std::vector<uint8_t> in(static_cast<size_t>(length * kRows));
      // Few values, so that the largest is often there twice.
      const unsigned values = 1 + random.next() % 256;
      for (uint8_t& x : in)
        x = static_cast<uint8_t>(random.byte() % values + random.next() % 2 * 128);
      for (const bool is_signed : {false, true}) {
        int32_t out[kRows];
        kernel(in.data(), kRows, length, is_signed, out);
        for (int r = 0; r < kRows; ++r) {
          const auto begin = in.begin() + r * length;
          const auto largest = std::max_element(begin, begin + length, [&](uint8_t a, uint8_t b) {
            return is_signed ? static_cast<int8_t>(a) < static_cast<int8_t>(b) : a < b;
          });
          ASSERT_EQ(out[r], largest - begin) << name(isa) << ", " << length << " bytes";
        }
      }
    }
  }
}

}  // namespace
}  // namespace edgetwin::kernels
