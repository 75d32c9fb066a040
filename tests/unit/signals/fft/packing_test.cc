#include "signals/fft/packing.h"

#include <gtest/gtest.h>

namespace edgetwin::signals {
namespace {

Tensor input_of(DType type, const Shape& shape, const Quant& quant) {
  auto t = Tensor::zeros(type, shape);
  EXPECT_TRUE(t.ok());
  t->quant = quant;
  return std::move(t).value();
}

TEST(FftPacking, ReversesAndRounds) {
  Tensor t = input_of(DType::int8, {1, 4, 2}, Quant::affine(0.25F, 0));
  auto packing = FftPacking::create(t, InputOrder::bit_reversed);
  ASSERT_TRUE(packing.ok());
  const std::vector<std::complex<float>> x = {{1, 0}, {0.375F, 0}, {0, 0.125F}, {-100, 100}};
  packing->pack(x, t);
  // Places 0, 2, 1, 3; 1.5 and 0.5 steps round to even.
  const std::vector<int8_t> wanted = {4, 0, 0, 0, 2, 0, -128, 127};
  EXPECT_EQ(std::vector<int8_t>(t.as<int8_t>().begin(), t.as<int8_t>().end()), wanted);
  EXPECT_EQ(packing->cut_off(), 2U);
}

TEST(FftPacking, NaturalOrderAndZeroPoint) {
  Tensor t = input_of(DType::uint8, {1, 2, 2}, Quant::affine(0.5F, 128));
  auto packing = FftPacking::create(t, InputOrder::natural);
  ASSERT_TRUE(packing.ok());
  const std::vector<std::complex<float>> x = {{1, -1}, {0, 4}};
  packing->pack(x, t);
  const auto back = unpack(t);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(*back, x);
}

TEST(FftPacking, RefusesOtherNetworks) {
  const Quant quant = Quant::affine(1.0F, 0);
  EXPECT_FALSE(
      FftPacking::create(input_of(DType::int8, {1, 6, 2}, quant), InputOrder::natural).ok());
  EXPECT_FALSE(FftPacking::create(input_of(DType::int8, {1, 7}, quant), InputOrder::natural).ok());
  EXPECT_FALSE(
      FftPacking::create(input_of(DType::int32, {1, 8, 2}, quant), InputOrder::natural).ok());
  EXPECT_FALSE(unpack(input_of(DType::int8, {1, 8, 3}, quant)).ok());
}

}  // namespace
}  // namespace edgetwin::signals
