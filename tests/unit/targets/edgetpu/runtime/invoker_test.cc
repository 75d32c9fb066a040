#include "targets/edgetpu/runtime/invoker.h"

#include <gtest/gtest.h>

namespace edgetwin::edgetpu {
namespace {

Value value(DType type, float scale, int64_t zero) {
  Value v;
  v.name = "v";
  v.dtype = type;
  v.quant = Quant::affine(scale, zero);
  return v;
}

TEST(Quantize, RoundsHalfToEvenAndLimits) {
  const std::vector<float> reals = {0.25F, 0.75F, 1.25F, -0.25F, 1000.0F, -1000.0F};
  Value v = value(DType::uint8, 0.5F, 10);
  v.shape = Shape{6};
  const Tensor t = quantize(v, reals);
  const auto q = t.as<uint8_t>();
  // 10.5, 11.5, 12.5, 9.5, and beyond both ends.
  EXPECT_EQ((std::vector<uint8_t>(q.begin(), q.end())),
            (std::vector<uint8_t>{10, 12, 12, 10, 255, 0}));
  const auto back = dequantize(t);
  EXPECT_EQ(back[1], 1.0F);
  EXPECT_EQ(back[5], -5.0F);
}

TEST(Quantize, SignedTypesKeepTheirRange) {
  Value v = value(DType::int8, 1.0F, -128);
  v.shape = Shape{3};
  const Tensor t = quantize(v, std::vector<float>{0.0F, 255.0F, 300.0F});
  const auto q = t.as<int8_t>();
  EXPECT_EQ((std::vector<int8_t>(q.begin(), q.end())), (std::vector<int8_t>{-128, 127, 127}));
}

TEST(Quantize, AScaleOfZeroIsTheSmallest) {
  Value v = value(DType::int8, 0.0F, 0);
  v.shape = Shape{2};
  const Tensor t = quantize(v, std::vector<float>{1.0F, 0.0F});
  EXPECT_EQ(t.as<int8_t>()[0], 127);
  EXPECT_EQ(t.as<int8_t>()[1], 0);
}

TEST(Pipeline, NeedsSegments) {
  EXPECT_EQ(Pipeline::make({}).error().code, ErrorCode::device_request);
}

}  // namespace
}  // namespace edgetwin::edgetpu
