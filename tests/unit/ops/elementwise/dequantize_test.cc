#include "ops/elementwise/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

TEST(Dequantize, ScaleTimesDistanceFromZeroPoint) {
  const Tensor y = OpTest(OpKind::dequantize)
                       .input(make<uint8_t>({3}, {0, 128, 255}, Quant::affine(0.1F, 128)))
                       .output(DType::float32)
                       .result(prepare_dequantize);
  EXPECT_EQ(values<float>(y), (std::vector<float>{0.1F * -128, 0.0F, 0.1F * 127}));
  const Tensor z = OpTest(OpKind::dequantize)
                       .input(make<int16_t>({1}, {-32768}, Quant::power_of_two(-15)))
                       .output(DType::float32)
                       .result(prepare_dequantize);
  EXPECT_EQ(values<float>(z), (std::vector<float>{-1.0F}));
}

TEST(Dequantize, PerChannel) {
  Quant q;
  q.scheme = Quant::Scheme::affine;
  q.scale = {1.0F, 0.5F};
  q.zero_point = {0, 2};
  q.axis = 1;
  OpTest t(OpKind::dequantize);
  t.input(make<int8_t>({1, 2, 2}, {1, 2, 3, 4}, q)).output(DType::float32);
  EXPECT_EQ(values<float>(t.result(prepare_dequantize)), (std::vector<float>{1, 2, 0.5F, 1}));
  q.axis = 0;
  OpTest bad(OpKind::dequantize);
  bad.input(make<int8_t>({1, 2, 2}, {1, 2, 3, 4}, q)).output(DType::float32);
  EXPECT_EQ(bad.error(prepare_dequantize), ErrorCode::op_quant);
}

TEST(Dequantize, HalfPrecision) {
  Tensor x = make<uint16_t>({3}, {0x3C00, 0xC000, 0x7C00});
  x.dtype = DType::float16;
  OpTest t(OpKind::dequantize);
  t.input(x).output(DType::float32);
  EXPECT_EQ(values<float>(t.result(prepare_dequantize)),
            (std::vector<float>{1.0F, -2.0F, std::numeric_limits<float>::infinity()}));
}

TEST(Dequantize, RefusesOtherTypesAndNoScale) {
  OpTest a(OpKind::dequantize);
  a.input(make<int8_t>({1}, {1})).output(DType::float32);
  EXPECT_EQ(a.error(prepare_dequantize), ErrorCode::op_quant);
  OpTest b(OpKind::dequantize);
  b.input(make<int8_t>({1}, {1}, Quant::affine(1, 0))).output(DType::int32);
  EXPECT_EQ(b.error(prepare_dequantize), ErrorCode::op_type);
  OpTest c(OpKind::dequantize);
  c.input(make<int32_t>({1}, {1}, Quant::affine(1, 0))).output(DType::float32);
  EXPECT_EQ(c.error(prepare_dequantize), ErrorCode::op_type);
}

}  // namespace
}  // namespace edgetwin::ops
