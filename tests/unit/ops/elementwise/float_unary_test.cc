#include <cmath>

#include "ops/elementwise/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

TEST(FloatUnary, SqrtAndItsInverse) {
  const Tensor x = make<float>({2, 2}, {4, 2, 0, -1});
  const auto s = values<float>(
      OpTest(OpKind::sqrt).input(x).output(DType::float32).result(prepare_float_unary));
  EXPECT_EQ(s[0], 2.0F);
  EXPECT_EQ(s[1], 1.41421356F);
  EXPECT_TRUE(std::isnan(s[3]));
  const auto r = values<float>(
      OpTest(OpKind::rsqrt).input(x).output(DType::float32).result(prepare_float_unary));
  EXPECT_EQ(r[0], 0.5F);
  EXPECT_EQ(r[1], 1.0F / 1.41421356F);
  EXPECT_EQ(r[2], std::numeric_limits<float>::infinity());
}

TEST(FloatUnary, OnlyFloats) {
  OpTest t(OpKind::sqrt);
  t.input(scalar(4)).output(DType::int32);
  EXPECT_EQ(t.error(prepare_float_unary), ErrorCode::op_type);
}

}  // namespace
}  // namespace edgetwin::ops
