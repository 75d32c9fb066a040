#include "verify/compare.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace edgetwin::verify {
namespace {

template <class T>
Tensor make(const std::string& name, const Shape& shape, const std::vector<T>& values) {
  Tensor t = Tensor::zeros(dtype_of<T>, shape).value();
  t.name = name;
  std::copy(values.begin(), values.end(), t.as<T>().begin());
  return t;
}

TEST(Compare, EqualTensorsAreEqual) {
  const Tensor a = make<int8_t>("t", {2, 2}, {1, -2, 3, -128});
  const TensorDiff d = compare(a, a);
  EXPECT_TRUE(d.equal());
  EXPECT_EQ(d.elements, 4);
  EXPECT_EQ(d.histogram[0], 4);
  EXPECT_EQ(d.first_index, -1);
  EXPECT_TRUE(std::isinf(d.signal_to_noise_db));
}

TEST(Compare, NamesTheFirstDifferenceWithItsPosition) {
  const Tensor a = make<int8_t>("t", {1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = make<int8_t>("t", {1, 2, 3}, {1, 2, 3, 4, 7, -122});
  const TensorDiff d = compare(a, b);
  EXPECT_FALSE(d.equal());
  EXPECT_EQ(d.different, 2);
  EXPECT_EQ(d.first_index, 4);
  EXPECT_EQ(d.first_position, "(0, 1, 1)");
  EXPECT_EQ(d.first_a, 5);
  EXPECT_EQ(d.first_b, 7);
  EXPECT_EQ(d.largest, 128);
  EXPECT_EQ(d.histogram[2], 1);  // 2
  EXPECT_EQ(d.histogram[8], 1);  // 65-128
}

TEST(Compare, EveryBucketHoldsItsBorders) {
  const std::vector<std::pair<int, size_t>> cases = {
      {1, 1},  {2, 2},  {3, 3},  {4, 3},  {5, 4},  {8, 4},   {9, 5},   {16, 5},
      {17, 6}, {32, 6}, {33, 7}, {64, 7}, {65, 8}, {128, 8}, {129, 9}, {2000, 9}};
  for (const auto& [difference, bucket] : cases) {
    const TensorDiff d =
        compare(make<int32_t>("t", {1}, {0}), make<int32_t>("t", {1}, {difference}));
    EXPECT_EQ(d.histogram[bucket], 1) << difference;
  }
}

TEST(Compare, ShapesAndTypesMustAgree) {
  const Tensor a = make<int8_t>("t", {2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(compare(a, make<int8_t>("t", {4}, {1, 2, 3, 4})).problem, "shapes differ: 2x2 and 4");
  EXPECT_EQ(compare(a, make<uint8_t>("t", {2, 2}, {1, 2, 3, 4})).problem,
            "types differ: int8 and uint8");
  EXPECT_FALSE(compare(a, make<int8_t>("t", {4}, {1, 2, 3, 4})).equal());
}

TEST(Compare, ToleranceForgivesButStillCounts) {
  const Tensor a = make<float>("t", {3}, {1.0F, 2.0F, 256.0F});
  const Tensor b = make<float>("t", {3}, {1.5F, 2.0F, 256.0F});
  EXPECT_FALSE(compare(a, b).equal());
  EXPECT_FALSE(compare(a, b, 0.25).equal());
  const TensorDiff d = compare(a, b, 0.5);
  EXPECT_TRUE(d.equal());
  EXPECT_EQ(d.largest, 0.5);
  EXPECT_EQ(d.unit, 1.0);
  EXPECT_EQ(d.histogram[1], 1);
}

TEST(Compare, NotANumberEqualsItsOwnBitsOnly) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor a = make<float>("t", {2}, {nan, 1.0F});
  EXPECT_TRUE(compare(a, a).equal());
  const TensorDiff d = compare(a, make<float>("t", {2}, {0.0F, 1.0F}), 10.0);
  EXPECT_FALSE(d.equal());
  EXPECT_EQ(d.first_index, 0);
  EXPECT_EQ(d.histogram[kBuckets - 1], 1);
}

TEST(Compare, NegativeZeroIsNotZeroBitForBit) {
  const Tensor a = make<float>("t", {1}, {0.0F});
  const Tensor b = make<float>("t", {1}, {-0.0F});
  EXPECT_FALSE(compare(a, b).equal());
  EXPECT_TRUE(compare(a, b, 1e-9).equal());
}

TEST(Compare, LargeIntegersAreComparedExactly) {
  const int64_t big = (int64_t{1} << 60) + 1;
  EXPECT_FALSE(compare(make<int64_t>("t", {1}, {big}), make<int64_t>("t", {1}, {big - 1})).equal());
}

TEST(Compare, SignalIsCountedFromTheZeroPoint) {
  Tensor a = make<int8_t>("t", {2}, {-118, -128});
  a.quant = Quant::affine(0.5F, -128);
  Tensor b = a;
  b.as<int8_t>()[1] = -127;
  EXPECT_NEAR(compare(a, b).signal_to_noise_db, 20.0, 1e-9);
}

TEST(Compare, PackedElementsHaveTheirOwnIndex) {
  Tensor a;
  a.dtype = DType::int4;
  a.shape = {4};
  a.data = {std::byte{0x21}, std::byte{0xF3}};
  Tensor b = a;
  b.data[1] = std::byte{0x83};
  const TensorDiff d = compare(a, b);
  EXPECT_EQ(d.first_index, 3);
  EXPECT_EQ(d.first_a, -1);
  EXPECT_EQ(d.first_b, -8);
}

TEST(Compare, LargeIntegersDifferExactly) {
  const auto a = make<int64_t>("t", {2}, {int64_t{1} << 60, -5});
  const auto b = make<int64_t>("t", {2}, {(int64_t{1} << 60) + 1, 5});
  const TensorDiff d = compare(a, b, 0.5);
  EXPECT_EQ(d.different, 2);
  EXPECT_EQ(d.largest, 10.0);
  EXPECT_EQ(d.first_bits_a, "0x1000000000000000");
  EXPECT_EQ(d.first_bits_b, "0x1000000000000001");
}

TEST(Compare, AToleranceDoesNotHideThatBitsDiffer) {
  const TensorDiff d = compare(make<float>("t", {1}, {-0.0F}), make<float>("t", {1}, {0.0F}), 1e-9);
  EXPECT_TRUE(d.equal());
  EXPECT_FALSE(d.same_bits);
}

TEST(Compare, EmptyTensorsAreEqual) {
  EXPECT_TRUE(compare(make<int8_t>("t", {0, 3}, {}), make<int8_t>("t", {0, 3}, {})).equal());
}

TEST(CompareSets, FindsTheFirstInOrderOfA) {
  const std::vector<Tensor> a = {make<int8_t>("x", {1}, {1}), make<int8_t>("y", {1}, {2}),
                                 make<int8_t>("z", {1}, {3})};
  const std::vector<Tensor> b = {make<int8_t>("z", {1}, {4}), make<int8_t>("y", {1}, {9}),
                                 make<int8_t>("x", {1}, {1})};
  const SetDiff d = compare_sets(a, b, 0.0);
  ASSERT_TRUE(d.first);
  EXPECT_EQ(d.tensors[*d.first].name, "y");
  EXPECT_TRUE(d.only_in_a.empty());
}

TEST(CompareSets, MissingTensorsMakeSetsDiffer) {
  const std::vector<Tensor> a = {make<int8_t>("x", {1}, {1})};
  const std::vector<Tensor> b = {make<int8_t>("x", {1}, {1}), make<int8_t>("w", {1}, {1})};
  const SetDiff d = compare_sets(a, b, 0.0);
  EXPECT_FALSE(d.equal());
  EXPECT_FALSE(d.first);
  ASSERT_EQ(d.only_in_b.size(), 1U);
  EXPECT_EQ(d.only_in_b[0], "w");
}

TEST(CompareSets, TensorsOfOneNameAreMatchedInOrder) {
  const std::vector<Tensor> a = {make<int8_t>("", {1}, {1}), make<int8_t>("", {1}, {2})};
  EXPECT_TRUE(compare_sets(a, a, 0.0).equal());
}

}  // namespace
}  // namespace edgetwin::verify
