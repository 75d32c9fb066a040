#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

OpTest split(int32_t axis, const Shape& in, int num, int outputs) {
  OpTest t(OpKind::split, SplitAttrs{num});
  t.constant(scalar(axis)).input(counting<int8_t>(in));
  for (int i = 0; i < outputs; ++i) t.output(DType::int8);
  return t;
}

TEST(Split, CutsEqualParts) {
  const auto y = split(1, {2, 4}, 2, 2).run(prepare_split);
  ASSERT_TRUE(y.ok());
  EXPECT_EQ((*y)[0].shape, (Shape{2, 2}));
  EXPECT_EQ(values<int8_t>((*y)[0]), (std::vector<int8_t>{0, 1, 4, 5}));
  EXPECT_EQ(values<int8_t>((*y)[1]), (std::vector<int8_t>{2, 3, 6, 7}));
  const auto z = split(-2, {2, 4}, 2, 2).run(prepare_split);
  ASSERT_TRUE(z.ok());
  EXPECT_EQ(values<int8_t>((*z)[1]), (std::vector<int8_t>{4, 5, 6, 7}));
}

TEST(Split, RefusesWhatDoesNotFit) {
  EXPECT_EQ(split(1, {2, 3}, 2, 2).error(prepare_split), ErrorCode::op_shape);
  EXPECT_EQ(split(1, {2, 4}, 4, 2).error(prepare_split), ErrorCode::op_attribute);
  EXPECT_EQ(split(2, {2, 4}, 2, 2).error(prepare_split), ErrorCode::op_attribute);
  OpTest t(OpKind::split, SplitAttrs{1});
  t.input(scalar(0)).input(counting<int8_t>({2})).output(DType::int8);
  EXPECT_EQ(t.error(prepare_split), ErrorCode::op_constant);
}

}  // namespace
}  // namespace edgetwin::ops
