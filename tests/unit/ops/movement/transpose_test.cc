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

// Sizes around the tiles, which are 8 by 8, in elements of every width.
template <class T>
void expect_turned(const Shape& in, const std::vector<int32_t>& perm) {
  OpTest t(OpKind::transpose);
  t.input(counting<T>(in)).constant(integers(perm)).output(dtype_of<T>);
  const Tensor y = t.result(prepare_transpose);
  const auto out = values<T>(y);
  for (int64_t i = 0; i < y.shape.elements(); ++i) {
    int64_t rest = i, from = 0;
    for (int d = y.shape.rank() - 1; d >= 0; --d) {
      const int axis = perm[static_cast<size_t>(d)];
      from += rest % y.shape[d] * in.elements(axis + 1, in.rank());
      rest /= y.shape[d];
    }
    ASSERT_EQ(out[static_cast<size_t>(i)], static_cast<T>(from))
        << to_string(in) << ", element " << i;
  }
}

TEST(Transpose, Tiles) {
  for (const int64_t rows : {7, 8, 9, 16, 23}) {
    for (const int64_t columns : {7, 8, 15, 33}) {
      expect_turned<int8_t>({rows, columns}, {1, 0});
      expect_turned<int16_t>({3, rows, columns}, {0, 2, 1});
      expect_turned<int32_t>({rows, 2, columns}, {2, 1, 0});
      expect_turned<int64_t>({2, rows, 3, columns}, {3, 0, 2, 1});
      expect_turned<int8_t>({2, rows, columns, 3}, {2, 0, 3, 1});
      expect_turned<float>({1, rows, columns, 9}, {0, 3, 1, 2});
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
