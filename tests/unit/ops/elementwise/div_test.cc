#include "ops/elementwise/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

template <class T>
OpTest op(OpKind kind, const std::vector<T>& a, const std::vector<T>& b, Attrs attrs) {
  OpTest t(kind, std::move(attrs));
  t.input(make<T>({static_cast<int64_t>(a.size())}, a));
  t.input(make<T>({static_cast<int64_t>(b.size())}, b)).output(dtype_of<T>);
  return t;
}

template <class T>
OpTest div(const std::vector<T>& a, const std::vector<T>& b, Activation f = Activation::none) {
  return op(OpKind::div, a, b, BinaryAttrs{f, true});
}

template <class T>
OpTest floor_div(const std::vector<T>& a, const std::vector<T>& b) {
  return op(OpKind::floor_div, a, b, NoAttrs{});
}

using Ints = std::vector<int32_t>;
using Floats = std::vector<float>;

TEST(Div, IntegersTruncate) {
  EXPECT_EQ(values<int32_t>(div<int32_t>({7, -7, 7, -7}, {2, 2, -2, -2}).result(prepare_div)),
            (Ints{3, -3, -3, 3}));
  EXPECT_EQ(values<int32_t>(div<int32_t>({70, -70}, {2}, Activation::relu6).result(prepare_div)),
            (Ints{6, 0}));
}

TEST(Div, IntegersWithoutAResult) {
  OpTest zero = div<int32_t>({7, 7}, {1, 0});
  EXPECT_EQ(zero.error(prepare_div), ErrorCode::op_data);
  EXPECT_EQ(zero.message, "element (1) divides by zero or overflows");
  EXPECT_EQ(div<int32_t>({INT32_MIN}, {-1}).error(prepare_div), ErrorCode::op_data);
}

TEST(Div, FloatsAreIeee) {
  const Tensor y = div<float>({1, 1, -1}, {3, 0, 0}).result(prepare_div);
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(values<float>(y), (Floats{1.0F / 3.0F, inf, -inf}));
  EXPECT_EQ(values<float>(div<float>({8, -8}, {1}, Activation::relu6).result(prepare_div)),
            (Floats{6, 0}));
}

TEST(Div, Refuses) {
  EXPECT_EQ(div<int8_t>({1}, {1}).error(prepare_div), ErrorCode::op_type);
  EXPECT_EQ(div<float>({1}, {1}, Activation::tanh).error(prepare_div), ErrorCode::op_attribute);
  EXPECT_EQ(div<float>({1, 2}, {1, 2, 3}).error(prepare_div), ErrorCode::op_shape);
}

TEST(FloorDiv, RoundsTowardMinusInfinity) {
  const Tensor y =
      floor_div<int32_t>({7, -7, 7, -7, 6}, {2, 2, -2, -2, -2}).result(prepare_floor_div);
  EXPECT_EQ(values<int32_t>(y), (Ints{3, -4, -4, 3, -3}));
  const Tensor z = floor_div<int64_t>({INT64_MIN}, {2}).result(prepare_floor_div);
  EXPECT_EQ(values<int64_t>(z), (std::vector<int64_t>{INT64_MIN / 2}));
  const Tensor f = floor_div<float>({-1, 5}, {2, 2}).result(prepare_floor_div);
  EXPECT_EQ(values<float>(f), (Floats{-1, 2}));
}

TEST(FloorDiv, WithoutAResult) {
  EXPECT_EQ(floor_div<int32_t>({7}, {0}).error(prepare_floor_div), ErrorCode::op_data);
  EXPECT_EQ(floor_div<float>({7}, {0}).error(prepare_floor_div), ErrorCode::op_data);
  EXPECT_EQ(floor_div<int64_t>({INT64_MIN}, {-1}).error(prepare_floor_div), ErrorCode::op_data);
}

}  // namespace
}  // namespace edgetwin::ops
