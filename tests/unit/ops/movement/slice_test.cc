#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

OpTest slice(const Shape& in, const std::vector<int32_t>& begin, const std::vector<int32_t>& size) {
  OpTest t(OpKind::slice);
  t.input(counting<uint8_t>(in)).constant(integers(begin)).constant(integers(size));
  t.output(DType::uint8);
  return t;
}

TEST(Slice, TakesABox) {
  const Tensor y = slice({3, 4}, {1, 1}, {2, 2}).result(prepare_slice);
  EXPECT_EQ(y.shape, (Shape{2, 2}));
  EXPECT_EQ(values<uint8_t>(y), (std::vector<uint8_t>{5, 6, 9, 10}));
  EXPECT_EQ(values<uint8_t>(slice({3, 4}, {2, 0}, {-1, -1}).result(prepare_slice)),
            (std::vector<uint8_t>{8, 9, 10, 11}));
  EXPECT_EQ(slice({3, 4}, {3, 4}, {-1, 0}).result(prepare_slice).shape, (Shape{0, 0}));
  EXPECT_EQ(values<uint8_t>(slice({}, {}, {}).result(prepare_slice)), (std::vector<uint8_t>{0}));
}

TEST(Slice, RefusesBoxesOutside) {
  for (const auto& [begin, size] : std::vector<std::pair<int32_t, int32_t>>{
           {-1, 1}, {4, -1}, {0, 4}, {2, 2}, {0, -2}, {INT32_MAX, INT32_MAX}}) {
    EXPECT_EQ(slice({3}, {begin}, {size}).error(prepare_slice), ErrorCode::op_shape);
  }
  EXPECT_EQ(slice({3, 4}, {0}, {1}).error(prepare_slice), ErrorCode::op_shape);
}

TEST(Slice, TakesWideIntegers) {
  OpTest t(OpKind::slice);
  t.input(counting<uint8_t>({3}));
  t.constant(make<int64_t>({1}, {INT64_MAX})).constant(make<int64_t>({1}, {INT64_MAX}));
  t.output(DType::uint8);
  EXPECT_EQ(t.error(prepare_slice), ErrorCode::op_shape);
}

}  // namespace
}  // namespace edgetwin::ops
