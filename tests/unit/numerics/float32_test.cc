// The functions of floats give the same bits on every processor: sums over their results, which
// x86-64 with and without fused multiply-adds and AArch64 agree in.
#include "numerics/plain/float32.h"

#include <gtest/gtest.h>

#include <bit>

namespace edgetwin::numerics {
namespace {

uint64_t sum_of_bits(float (*function)(float)) {
  uint64_t sum = 0x14650fb0739d0383;
  for (int i = -40000; i <= 40000; ++i) {
    sum =
        (sum ^ std::bit_cast<uint32_t>(function(static_cast<float>(i) / 8000.0F))) * 0x100000001b3;
  }
  return sum;
}

TEST(Float32Functions, AreTheSameOnEveryProcessor) {
  EXPECT_EQ(sum_of_bits(float32::tanh), 0x9b48877337924f81U);
  EXPECT_EQ(sum_of_bits(float32::expm1), 0x0deb2b4191a1fe92U);
  EXPECT_EQ(sum_of_bits(float32::erf), 0x561465101a926ce1U);
}

}  // namespace
}  // namespace edgetwin::numerics
