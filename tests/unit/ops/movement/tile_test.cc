#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

OpTest tile(const Shape& data, const Tensor& multiples) {
  OpTest t(OpKind::tile, NoAttrs{});
  t.input(counting<int16_t>(data)).constant(multiples).output(DType::int16);
  return t;
}

TEST(Tile, RepeatsEachAxis) {
  const Tensor y = tile({2, 2}, integers({2, 3})).result(prepare_tile);
  EXPECT_EQ(y.shape, (Shape{4, 6}));
  EXPECT_EQ(values<int16_t>(y), (std::vector<int16_t>{0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3,
                                                      0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3}));
  const Tensor rows = tile({1, 3}, integers({2, 1})).result(prepare_tile);
  EXPECT_EQ(values<int16_t>(rows), (std::vector<int16_t>{0, 1, 2, 0, 1, 2}));
  const Tensor wide = tile({2, 1}, make<int64_t>({2}, {1, 2})).result(prepare_tile);
  EXPECT_EQ(values<int16_t>(wide), (std::vector<int16_t>{0, 0, 1, 1}));
}

TEST(Tile, NothingAndOneNumber) {
  EXPECT_EQ(tile({2, 3}, integers({0, 2})).result(prepare_tile).shape, (Shape{0, 6}));
  EXPECT_EQ(tile({0, 3}, integers({4, 2})).result(prepare_tile).shape, (Shape{0, 6}));
  const Tensor one = tile({}, make<int32_t>({0}, {})).result(prepare_tile);
  EXPECT_EQ(values<int16_t>(one), (std::vector<int16_t>{0}));
}

TEST(Tile, RefusesWhatDoesNotFit) {
  EXPECT_EQ(tile({3}, integers({1, 1})).error(prepare_tile), ErrorCode::op_shape);
  EXPECT_EQ(tile({3}, integers({-1})).error(prepare_tile), ErrorCode::op_attribute);
  EXPECT_EQ(tile({3}, make<int64_t>({1}, {INT64_MAX})).error(prepare_tile),
            ErrorCode::op_attribute);
  EXPECT_EQ(tile({64, 64}, integers({1 << 20, 1 << 20})).error(prepare_tile), ErrorCode::op_shape);
  OpTest other(OpKind::tile, NoAttrs{});
  other.input(counting<int16_t>({3})).constant(integers({2})).output(DType::int8);
  EXPECT_EQ(other.error(prepare_tile), ErrorCode::op_type);
  OpTest alone(OpKind::tile, NoAttrs{});
  alone.input(counting<int16_t>({3})).output(DType::int16);
  EXPECT_EQ(alone.error(prepare_tile), ErrorCode::graph_arity);
}

}  // namespace
}  // namespace edgetwin::ops
