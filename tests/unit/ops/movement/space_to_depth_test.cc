#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

OpTest op(OpKind kind, const Shape& in, int block) {
  OpTest t(kind, BlockAttrs{block});
  t.input(counting<uint8_t>(in)).output(DType::uint8);
  return t;
}

TEST(SpaceToDepth, BlocksBecomeChannels) {
  const Tensor y = op(OpKind::space_to_depth, {1, 2, 4, 1}, 2).result(prepare_space_to_depth);
  EXPECT_EQ(y.shape, (Shape{1, 1, 2, 4}));
  EXPECT_EQ(values<uint8_t>(y), (std::vector<uint8_t>{0, 1, 4, 5, 2, 3, 6, 7}));
}

TEST(SpaceToDepth, ThereAndBack) {
  const Tensor x = counting<uint8_t>({2, 4, 6, 3});
  const Tensor y = op(OpKind::space_to_depth, x.shape, 2).result(prepare_space_to_depth);
  ASSERT_EQ(y.shape, (Shape{2, 2, 3, 12}));
  const Tensor z = OpTest(OpKind::depth_to_space, BlockAttrs{2})
                       .input(y)
                       .output(DType::uint8)
                       .result(prepare_depth_to_space);
  EXPECT_EQ(z.shape, x.shape);
  EXPECT_EQ(values<uint8_t>(z), values<uint8_t>(x));
}

TEST(SpaceToDepth, RefusesWhatDoesNotFit) {
  EXPECT_EQ(op(OpKind::space_to_depth, {1, 3, 4, 1}, 2).error(prepare_space_to_depth),
            ErrorCode::op_shape);
  EXPECT_EQ(op(OpKind::depth_to_space, {1, 3, 4, 6}, 2).error(prepare_depth_to_space),
            ErrorCode::op_shape);
  EXPECT_EQ(op(OpKind::space_to_depth, {2, 2}, 2).error(prepare_space_to_depth),
            ErrorCode::op_shape);
  for (const int block : {0, -1, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(op(OpKind::space_to_depth, {1, 0, 0, 1}, block).error(prepare_space_to_depth),
              ErrorCode::op_attribute);
    EXPECT_EQ(op(OpKind::depth_to_space, {1, 1, 1, 0}, block).error(prepare_depth_to_space),
              ErrorCode::op_attribute);
  }
}

}  // namespace
}  // namespace edgetwin::ops
