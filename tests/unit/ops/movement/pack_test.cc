#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

OpTest pack_two(int axis, const Shape& a, const Shape& b, int count = 2) {
  OpTest t(OpKind::pack, PackAttrs{count, axis});
  t.input(counting<int16_t>(a)).input(counting<int16_t>(b)).output(DType::int16);
  return t;
}

TEST(Pack, MakesANewAxis) {
  const Tensor y = pack_two(0, {2, 2}, {2, 2}).result(prepare_pack);
  EXPECT_EQ(y.shape, (Shape{2, 2, 2}));
  EXPECT_EQ(values<int16_t>(y), (std::vector<int16_t>{0, 1, 2, 3, 0, 1, 2, 3}));
  const Tensor z = pack_two(-1, {2, 2}, {2, 2}).result(prepare_pack);
  EXPECT_EQ(values<int16_t>(z), (std::vector<int16_t>{0, 0, 1, 1, 2, 2, 3, 3}));
  const Tensor m = pack_two(1, {2, 2}, {2, 2}).result(prepare_pack);
  EXPECT_EQ(values<int16_t>(m), (std::vector<int16_t>{0, 1, 0, 1, 2, 3, 2, 3}));
  EXPECT_EQ(pack_two(0, {}, {1}).error(prepare_pack), ErrorCode::op_shape);
  EXPECT_EQ(pack_two(0, {0, 3}, {0, 3}).result(prepare_pack).shape, (Shape{2, 0, 3}));
}

TEST(Pack, RefusesWhatDoesNotFit) {
  EXPECT_EQ(pack_two(0, {2}, {3}).error(prepare_pack), ErrorCode::op_shape);
  EXPECT_EQ(pack_two(2, {2}, {2}).error(prepare_pack), ErrorCode::op_attribute);
  EXPECT_EQ(pack_two(-3, {2}, {2}).error(prepare_pack), ErrorCode::op_attribute);
  EXPECT_EQ(pack_two(0, {2}, {2}, 3).error(prepare_pack), ErrorCode::op_attribute);
  const Shape eight{1, 1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(pack_two(0, eight, eight).error(prepare_pack), ErrorCode::op_shape);
  OpTest t(OpKind::pack, PackAttrs{2, 0});
  t.input(counting<int16_t>({2})).input(counting<int8_t>({2})).output(DType::int16);
  EXPECT_EQ(t.error(prepare_pack), ErrorCode::op_type);
}

OpTest unpack(int num, int axis, const Shape& in, int outputs) {
  OpTest t(OpKind::unpack, UnpackAttrs{num, axis});
  t.input(counting<int32_t>(in));
  for (int i = 0; i < outputs; ++i) t.output(DType::int32);
  return t;
}

TEST(Unpack, IsTheInverse) {
  const auto y = unpack(3, -1, {2, 3}, 3).run(prepare_unpack);
  ASSERT_TRUE(y.ok());
  EXPECT_EQ((*y)[0].shape, (Shape{2}));
  EXPECT_EQ(values<int32_t>((*y)[0]), (std::vector<int32_t>{0, 3}));
  EXPECT_EQ(values<int32_t>((*y)[2]), (std::vector<int32_t>{2, 5}));
  const auto z = unpack(2, 0, {2, 3}, 2).run(prepare_unpack);
  ASSERT_TRUE(z.ok());
  EXPECT_EQ(values<int32_t>((*z)[1]), (std::vector<int32_t>{3, 4, 5}));
}

TEST(Unpack, RefusesOtherCounts) {
  EXPECT_EQ(unpack(2, 1, {2, 3}, 2).error(prepare_unpack), ErrorCode::op_attribute);
  EXPECT_EQ(unpack(3, 1, {2, 3}, 2).error(prepare_unpack), ErrorCode::op_attribute);
  EXPECT_EQ(unpack(1, 0, {}, 1).error(prepare_unpack), ErrorCode::op_attribute);
}

}  // namespace
}  // namespace edgetwin::ops
