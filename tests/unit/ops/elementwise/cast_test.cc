#include <limits>

#include "ops/elementwise/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

template <class To, class From>
std::vector<To> cast(const std::vector<From>& v) {
  return values<To>(OpTest(OpKind::cast, CastAttrs{})
                        .input(make<From>({static_cast<int64_t>(v.size())}, v))
                        .output(dtype_of<To>)
                        .result(prepare_cast));
}

TEST(Cast, FloatsTruncateAndSaturate) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ((cast<int32_t, float>({1.9F, -1.9F, 3e9F, -inf, nan})),
            (std::vector<int32_t>{1, -1, INT32_MAX, INT32_MIN, 0}));
  EXPECT_EQ((cast<uint8_t, float>({255.9F, 256.0F, -0.5F, -1.0F})),
            (std::vector<uint8_t>{255, 255, 0, 0}));
  EXPECT_EQ((cast<int64_t, float>({9.3e18F, -9.3e18F})),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN}));
  EXPECT_EQ((cast<uint32_t, double>({4294967295.0, 4294967296.0})),
            (std::vector<uint32_t>{UINT32_MAX, UINT32_MAX}));
}

TEST(Cast, IntegersAreCut) {
  EXPECT_EQ((cast<int8_t, int32_t>({300, -129})), (std::vector<int8_t>{44, 127}));
  EXPECT_EQ((cast<float, uint8_t>({0, 255})), (std::vector<float>{0, 255}));
  EXPECT_EQ((cast<int64_t, int16_t>({-5})), (std::vector<int64_t>{-5}));
}

TEST(Cast, TruthIsNotZero) {
  const Tensor y = OpTest(OpKind::cast, CastAttrs{})
                       .input(make<float>({3}, {0.0F, 0.25F, -0.0F}))
                       .output(DType::boolean)
                       .result(prepare_cast);
  EXPECT_EQ(y.data, (Bytes{std::byte{0}, std::byte{1}, std::byte{0}}));
  Tensor odd = make<uint8_t>({2}, {0, 2});
  odd.dtype = DType::boolean;
  const Tensor z =
      OpTest(OpKind::cast, CastAttrs{}).input(odd).output(DType::int32).result(prepare_cast);
  EXPECT_EQ(values<int32_t>(z), (std::vector<int32_t>{0, 1}));
}

TEST(Cast, RefusesOtherTypes) {
  Tensor half = make<uint16_t>({1}, {0});
  half.dtype = DType::float16;
  OpTest t(OpKind::cast, CastAttrs{});
  t.input(half).output(DType::float32);
  EXPECT_EQ(t.error(prepare_cast), ErrorCode::op_type);
}

}  // namespace
}  // namespace edgetwin::ops
