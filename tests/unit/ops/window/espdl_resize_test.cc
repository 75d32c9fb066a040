// Resize of ESP-DL: what the runtime computes, whatever the attributes say.
// Source: specification of the runtime, operators 6.
#include "ops/espdl_op_test.h"

namespace edgetwin::ops {
namespace {

using Mode = ScaleAttrs::Mode;

OpTest resize(const Tensor& x, ScaleAttrs a, int e_out) {
  OpTest t(OpKind::resize, std::move(a));
  t.input(x);
  t.output(x.dtype, Quant::power_of_two(e_out));
  return t;
}

ScaleAttrs by_scales(Mode mode, const std::vector<float>& scales, bool corners = false) {
  ScaleAttrs a;
  a.mode = mode;
  a.align_corners = corners;
  a.scales = scales;
  return a;
}

ScaleAttrs by_sizes(Mode mode, const std::vector<int64_t>& sizes, bool corners = false) {
  ScaleAttrs a = by_scales(mode, {}, corners);
  a.sizes = sizes;
  return a;
}

TEST(EspdlResize, NearestIsAsymmetricAndFloors) {
  const Tensor x = fixed<int8_t>({1, 2, 3, 1}, {1, 2, 3, 4, 5, 6}, -3);
  for (const std::string& arithmetic : kArithmetics) {
    const Tensor y =
        resize(x, by_scales(Mode::nearest, {1, 2, 1.5F, 1}), -3).result(espdl(arithmetic));
    EXPECT_EQ(y.shape, (Shape{1, 4, 4, 1}));
    EXPECT_EQ(numbers<int8_t>(y),
              (std::vector<int>{1, 1, 2, 3, 1, 1, 2, 3, 4, 4, 5, 6, 4, 4, 5, 6}));
    const Tensor sized =
        resize(x, by_sizes(Mode::nearest, {1, 1, 2, 1}), -3).result(espdl(arithmetic));
    EXPECT_EQ(numbers<int8_t>(sized), (std::vector<int>{1, 2}));
  }
}

TEST(EspdlResize, NearestWrapsOrSaturatesBetweenExponents) {
  const Tensor x = fixed<int8_t>({1, 1, 1, 2}, {100, 5}, -3);
  const auto run = [&](const std::string& arithmetic, int e_out) {
    return numbers<int8_t>(
        resize(x, by_scales(Mode::nearest, {1, 1, 1, 1}), e_out).result(espdl(arithmetic)));
  };
  for (const char* arithmetic : {"c", "s3-wide", "p4-wide"}) {
    EXPECT_EQ(run(arithmetic, -4), (std::vector<int>{-56, 10})) << arithmetic;
  }
  EXPECT_EQ(run("s3", -4), (std::vector<int>{127, 10}));
  EXPECT_EQ(run("p4", -4), (std::vector<int>{127, 10}));
  EXPECT_EQ(run("s3", -2), (std::vector<int>{50, 3}));
  EXPECT_EQ(run("p4", -2), (std::vector<int>{50, 2}));
}

TEST(EspdlResize, LinearAlongOneAxis) {
  const Tensor x = fixed<int8_t>({1, 3, 1}, {0, 40, 80}, 0);
  for (const std::string& arithmetic : kArithmetics) {
    // Half pixel: -0.25, 0.25, 0.75, 1.25, 1.75, 2.25, held at both ends.
    EXPECT_EQ(
        numbers<int8_t>(resize(x, by_scales(Mode::linear, {1, 2, 1}), 0).result(espdl(arithmetic))),
        (std::vector<int>{0, 10, 30, 50, 70, 80}));
    // Corners: 0, 0.5, 1, 1.5, 2.
    EXPECT_EQ(numbers<int8_t>(
                  resize(x, by_sizes(Mode::linear, {1, 5, 1}, true), 0).result(espdl(arithmetic))),
              (std::vector<int>{0, 20, 40, 60, 80}));
  }
}

TEST(EspdlResize, BilinearRoundsOnce) {
  const Tensor x = fixed<int8_t>({1, 2, 2, 1}, {1, 2, 3, 5}, -2);
  for (const std::string& arithmetic : kArithmetics) {
    const auto y = numbers<int8_t>(
        resize(x, by_scales(Mode::linear, {1, 2, 2, 1}), -2).result(espdl(arithmetic)));
    const double t[4] = {0, 0.25, 0.75, 1};
    for (size_t row = 0; row < 4; ++row) {
      for (size_t column = 0; column < 4; ++column) {
        const double top = 1 + t[column], bottom = 3 + 2 * t[column];
        const double v = top + (bottom - top) * t[row];
        EXPECT_EQ(y[row * 4 + column], rounded(v, rounds_to_even(arithmetic), -128, 127));
      }
    }
  }
}

TEST(EspdlResize, Refusals) {
  const Tensor wide = fixed<int16_t>({1, 1, 2, 1}, {1, 2}, 0);
  const auto nearest = by_scales(Mode::nearest, {1, 1, 2, 1});
  EXPECT_EQ(resize(wide, nearest, 0).error(espdl("c")), ErrorCode::op_undefined);
  EXPECT_EQ(numbers<int16_t>(resize(wide, nearest, 0).allow_undefined().result(espdl("c"))),
            std::vector<int>(4, 0));
  const Tensor x = fixed<int8_t>({1, 1, 2, 1}, {1, 2}, 0);
  EXPECT_EQ(resize(x, by_scales(Mode::linear, {1, 2, 1, 1}), 0).error(espdl("c")),
            ErrorCode::op_undefined);
  EXPECT_EQ(resize(x, by_scales(Mode::cubic, {1, 2, 2, 1}), 0).error(espdl("c")),
            ErrorCode::op_unsupported);
  EXPECT_EQ(resize(x, by_scales(Mode::nearest, {2, 2}), 0).error(espdl("c")),
            ErrorCode::op_attribute);
  EXPECT_EQ(resize(x, by_scales(Mode::nearest, {1, -1, 1, 1}), 0).error(espdl("c")),
            ErrorCode::op_attribute);
  EXPECT_EQ(resize(x, by_scales(Mode::nearest, {1, 1, 0.1F, 1}), 0).error(espdl("c")),
            ErrorCode::op_shape);
  EXPECT_EQ(resize(x, by_scales(Mode::nearest, {1, 1, 1e30F, 1}), 0).error(espdl("c")),
            ErrorCode::op_attribute);
  EXPECT_EQ(resize(x, by_sizes(Mode::nearest, {1, 1, 1 << 20, 1 << 20}), 0).run(espdl("c")).ok(),
            true);  // only height and width count
}

}  // namespace
}  // namespace edgetwin::ops
