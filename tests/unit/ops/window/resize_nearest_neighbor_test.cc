#include "ops/op_test.h"
#include "ops/window/prepare.h"

namespace edgetwin::ops {
namespace {

OpTest resize(const Shape& in, const std::vector<int32_t>& size, bool align = false,
              bool half = false) {
  OpTest t(OpKind::resize_nearest_neighbor, ResizeAttrs{align, half});
  t.input(counting<uint8_t>(in)).constant(integers(size)).output(DType::uint8);
  return t;
}

std::vector<uint8_t> row(int64_t in, int32_t out, bool align, bool half) {
  return values<uint8_t>(
      resize({1, 1, in, 1}, {1, out}, align, half).result(prepare_resize_nearest_neighbor));
}

TEST(ResizeNearest, TheThreeGrids) {
  EXPECT_EQ(row(3, 6, false, false), (std::vector<uint8_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(row(4, 2, false, false), (std::vector<uint8_t>{0, 2}));
  EXPECT_EQ(row(4, 2, false, true), (std::vector<uint8_t>{1, 3}));
  // Positions 0, 0.5, 1, …, rounded half away.
  EXPECT_EQ(row(3, 5, true, false), (std::vector<uint8_t>{0, 1, 1, 2, 2}));
  EXPECT_EQ(row(5, 1, true, false), (std::vector<uint8_t>{0}));
}

TEST(ResizeNearest, WholePixelsMove) {
  const Tensor y = resize({1, 2, 1, 2}, {4, 1}).result(prepare_resize_nearest_neighbor);
  EXPECT_EQ(y.shape, (Shape{1, 4, 1, 2}));
  EXPECT_EQ(values<uint8_t>(y), (std::vector<uint8_t>{0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST(ResizeNearest, RefusesWhatDoesNotFit) {
  const auto error = [](const Shape& in, const std::vector<int32_t>& size) {
    return resize(in, size).error(prepare_resize_nearest_neighbor);
  };
  EXPECT_EQ(error({2, 2}, {1, 1}), ErrorCode::op_shape);
  EXPECT_EQ(error({1, 0, 2, 1}, {1, 1}), ErrorCode::op_shape);
  EXPECT_EQ(error({1, 2, 2, 1}, {1}), ErrorCode::op_shape);
  EXPECT_EQ(error({1, 2, 2, 1}, {0, 1}), ErrorCode::op_shape);
  EXPECT_EQ(error({1, 2, 2, 1}, {-1, 1}), ErrorCode::op_shape);
  EXPECT_EQ(error({1, 2, 2, 1}, {INT32_MAX, INT32_MAX}), ErrorCode::op_shape);
  EXPECT_EQ(error({1, 2, 2, 1}, {1 << 20, 1 << 20}), ErrorCode::op_shape);
}

}  // namespace
}  // namespace edgetwin::ops
