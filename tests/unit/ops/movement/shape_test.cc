#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

TEST(ShapeOp, GivesTheSizes) {
  const Tensor a = OpTest(OpKind::shape, ShapeAttrs{})
                       .input(counting<float>({2, 3, 0}))
                       .output(DType::int32)
                       .result(prepare_shape);
  EXPECT_EQ(values<int32_t>(a), (std::vector<int32_t>{2, 3, 0}));
  const Tensor b = OpTest(OpKind::shape, ShapeAttrs{})
                       .input(counting<int8_t>({7}))
                       .output(DType::int64)
                       .result(prepare_shape);
  EXPECT_EQ(values<int64_t>(b), (std::vector<int64_t>{7}));
  const Tensor c = OpTest(OpKind::shape, ShapeAttrs{})
                       .input(scalar(5))
                       .output(DType::int32)
                       .result(prepare_shape);
  EXPECT_EQ(c.shape, (Shape{0}));
}

TEST(ShapeOp, RefusesOtherTypes) {
  OpTest t(OpKind::shape, ShapeAttrs{});
  t.input(counting<float>({2})).output(DType::float32);
  EXPECT_EQ(t.error(prepare_shape), ErrorCode::op_type);
}

}  // namespace
}  // namespace edgetwin::ops
