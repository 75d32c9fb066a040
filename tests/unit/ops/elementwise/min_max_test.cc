#include "ops/elementwise/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

template <class T>
std::vector<T> run(OpKind kind, const Tensor& a, const Tensor& b) {
  return values<T>(OpTest(kind).input(a).input(b).output(a.dtype).result(prepare_min_max));
}

TEST(MinMax, ElementByElement) {
  const Tensor a = make<int8_t>({3}, {-1, 5, -128});
  const Tensor b = make<int8_t>({3}, {0, 4, 127});
  EXPECT_EQ(run<int8_t>(OpKind::maximum, a, b), (std::vector<int8_t>{0, 5, 127}));
  EXPECT_EQ(run<int8_t>(OpKind::minimum, a, b), (std::vector<int8_t>{-1, 4, -128}));
}

TEST(MinMax, BroadcastsBothSides) {
  const Tensor column = make<float>({2, 1}, {1, 3});
  const Tensor row = make<float>({3}, {0, 2, 4});
  EXPECT_EQ(run<float>(OpKind::maximum, column, row), (std::vector<float>{1, 2, 4, 3, 3, 4}));
  EXPECT_EQ(run<float>(OpKind::minimum, row, column), (std::vector<float>{0, 1, 1, 0, 2, 3}));
}

TEST(MinMax, AllNumericTypes) {
  const auto check = []<class T>(T) {
    const Tensor a = make<T>({1}, {T{3}});
    const Tensor b = make<T>({}, {T{7}});
    EXPECT_EQ(run<T>(OpKind::maximum, a, b), std::vector<T>{T{7}});
  };
  check(uint8_t{}), check(int16_t{}), check(uint16_t{}), check(int32_t{}), check(uint32_t{});
  check(int64_t{}), check(uint64_t{}), check(float{}), check(double{});
}

TEST(MinMax, RefusesWhatDoesNotFit) {
  OpTest a(OpKind::maximum);
  a.input(make<float>({2}, {1, 2})).input(make<float>({3}, {1, 2, 3})).output(DType::float32);
  EXPECT_EQ(a.error(prepare_min_max), ErrorCode::op_shape);
  OpTest b(OpKind::maximum);
  b.input(make<float>({1}, {1})).input(make<int32_t>({1}, {1})).output(DType::float32);
  EXPECT_EQ(b.error(prepare_min_max), ErrorCode::op_type);
}

}  // namespace
}  // namespace edgetwin::ops
