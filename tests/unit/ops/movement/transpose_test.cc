#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

OpTest transpose(const Shape& in, const std::vector<int32_t>& perm) {
  OpTest t(OpKind::transpose);
  t.input(counting<int32_t>(in)).constant(integers(perm)).output(DType::int32);
  return t;
}

TEST(Transpose, SwapsAxes) {
  const Tensor y = transpose({2, 3}, {1, 0}).result(prepare_transpose);
  EXPECT_EQ(y.shape, (Shape{3, 2}));
  EXPECT_EQ(values<int32_t>(y), (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
}

TEST(Transpose, EveryElementFromItsIndex) {
  const Shape in{2, 3, 4, 5};
  const std::vector<int32_t> perm = {2, 0, 3, 1};
  const Tensor y = transpose(in, perm).result(prepare_transpose);
  ASSERT_EQ(y.shape, (Shape{4, 2, 5, 3}));
  const auto v = values<int32_t>(y);
  size_t i = 0;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 2; ++b) {
      for (int c = 0; c < 5; ++c) {
        for (int d = 0; d < 3; ++d) EXPECT_EQ(v[i++], ((b * 3 + d) * 4 + a) * 5 + c);
      }
    }
  }
}

TEST(Transpose, AnyRank) {
  EXPECT_EQ(transpose({}, {}).result(prepare_transpose).shape, Shape());
  EXPECT_EQ(transpose({0, 3}, {1, 0}).result(prepare_transpose).shape, (Shape{3, 0}));
  const Tensor y =
      transpose({1, 2, 1, 2, 1, 2, 1, 2}, {7, 6, 5, 4, 3, 2, 1, 0}).result(prepare_transpose);
  EXPECT_EQ(y.shape, (Shape{2, 1, 2, 1, 2, 1, 2, 1}));
  EXPECT_EQ(values<int32_t>(y)[1], 8);
}

TEST(Transpose, RefusesWhatIsNoPermutation) {
  EXPECT_EQ(transpose({2, 3}, {0, 0}).error(prepare_transpose), ErrorCode::op_attribute);
  EXPECT_EQ(transpose({2, 3}, {0, 2}).error(prepare_transpose), ErrorCode::op_attribute);
  EXPECT_EQ(transpose({2, 3}, {1, 0, 2}).error(prepare_transpose), ErrorCode::op_shape);
}

}  // namespace
}  // namespace edgetwin::ops
