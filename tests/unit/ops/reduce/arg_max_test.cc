#include "ops/op_test.h"
#include "ops/reduce/prepare.h"

namespace edgetwin::ops {
namespace {

template <class T>
OpTest arg_max(const Shape& shape, const std::vector<T>& v, int32_t axis,
               DType out = DType::int32) {
  OpTest t(OpKind::arg_max, ArgAttrs{});
  t.input(make<T>(shape, v)).constant(scalar(axis)).output(out);
  return t;
}

TEST(ArgMax, FirstOfEquals) {
  const Tensor y = arg_max<int8_t>({2, 3}, {1, 7, 7, -1, -3, -2}, -1).result(prepare_arg_max);
  EXPECT_EQ(y.shape, (Shape{2}));
  EXPECT_EQ(values<int32_t>(y), (std::vector<int32_t>{1, 0}));
  const Tensor z =
      arg_max<float>({2, 3}, {1, 7, 7, 2, -3, 7}, 0, DType::int64).result(prepare_arg_max);
  EXPECT_EQ(values<int64_t>(z), (std::vector<int64_t>{1, 0, 0}));
}

TEST(ArgMax, MiddleAxis) {
  const Tensor y = arg_max<uint8_t>({1, 2, 2}, {1, 9, 3, 4}, 1).result(prepare_arg_max);
  EXPECT_EQ(y.shape, (Shape{1, 2}));
  EXPECT_EQ(values<int32_t>(y), (std::vector<int32_t>{1, 0}));
}

TEST(ArgMax, Refuses) {
  EXPECT_EQ(arg_max<float>({2}, {1, 2}, 1).error(prepare_arg_max), ErrorCode::op_attribute);
  EXPECT_EQ(arg_max<float>({}, {1}, 0).error(prepare_arg_max), ErrorCode::op_attribute);
  EXPECT_EQ(arg_max<float>({2, 0}, {}, 1).error(prepare_arg_max), ErrorCode::op_shape);
  EXPECT_EQ(arg_max<double>({1}, {1}, 0).error(prepare_arg_max), ErrorCode::op_type);
  EXPECT_EQ(arg_max<float>({1}, {1}, 0, DType::int8).error(prepare_arg_max), ErrorCode::op_type);
}

}  // namespace
}  // namespace edgetwin::ops
