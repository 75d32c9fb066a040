#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

Tensor paddings(const std::vector<int32_t>& v) {
  return make<int32_t>({static_cast<int64_t>(v.size() / 2), 2}, v);
}

TEST(Pad, FillsWithTheZeroPoint) {
  const Quant q = Quant::affine(0.5F, -7);
  const Tensor y = OpTest(OpKind::pad)
                       .input(make<int8_t>({2, 2}, {1, 2, 3, 4}, q))
                       .constant(paddings({1, 0, 0, 2}))
                       .output(DType::int8, q)
                       .result(prepare_pad);
  EXPECT_EQ(y.shape, (Shape{3, 4}));
  EXPECT_EQ(values<int8_t>(y), (std::vector<int8_t>{-7, -7, -7, -7, 1, 2, -7, -7, 3, 4, -7, -7}));
}

TEST(Pad, FillsFloatsWithZero) {
  const Tensor y = OpTest(OpKind::pad)
                       .input(make<float>({1}, {5}))
                       .constant(paddings({1, 1}))
                       .output(DType::float32)
                       .result(prepare_pad);
  EXPECT_EQ(values<float>(y), (std::vector<float>{0, 5, 0}));
  const Tensor e = OpTest(OpKind::pad)
                       .input(make<float>({0}, {}))
                       .constant(paddings({1, 1}))
                       .output(DType::float32)
                       .result(prepare_pad);
  EXPECT_EQ(values<float>(e), (std::vector<float>{0, 0}));
}

TEST(PadV2, FillsWithTheGivenValue) {
  const Tensor y = OpTest(OpKind::padv2)
                       .input(make<int16_t>({1}, {5}))
                       .constant(paddings({0, 2}))
                       .input(make<int16_t>({}, {-3}))
                       .output(DType::int16)
                       .result(prepare_pad);
  EXPECT_EQ(values<int16_t>(y), (std::vector<int16_t>{5, -3, -3}));
}

TEST(Pad, RefusesWhatDoesNotFit) {
  const auto error = [](const std::vector<int32_t>& pads) {
    return OpTest(OpKind::pad)
        .input(make<int8_t>({2}, {1, 2}))
        .constant(paddings(pads))
        .output(DType::int8)
        .error(prepare_pad);
  };
  EXPECT_EQ(error({1, 1, 1, 1}), ErrorCode::op_shape);
  EXPECT_EQ(error({-1, 0}), ErrorCode::op_attribute);
  EXPECT_EQ(error({INT32_MAX, INT32_MAX}), ErrorCode::op_attribute);
  EXPECT_EQ(error({1 << 30, 1 << 30}), ErrorCode::op_shape);
  OpTest t(OpKind::padv2);
  t.input(make<int8_t>({1}, {5})).constant(paddings({0, 2})).input(make<int16_t>({}, {-3}));
  EXPECT_EQ(t.output(DType::int8).error(prepare_pad), ErrorCode::op_type);
}

}  // namespace
}  // namespace edgetwin::ops
