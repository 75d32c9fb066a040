#include "ops/movement/prepare.h"
#include "ops/op_test.h"

namespace edgetwin::ops {
namespace {

using Dims = std::vector<int32_t>;

TEST(Reshape, TakesTheShapeFromAConstant) {
  const Tensor y = OpTest(OpKind::reshape, ReshapeAttrs{})
                       .input(counting<int8_t>({2, 6}))
                       .constant(integers({3, -1}))
                       .output(DType::int8)
                       .result(prepare_reshape);
  EXPECT_EQ(y.shape, (Shape{3, 4}));
  EXPECT_EQ(values<int8_t>(y), values<int8_t>(counting<int8_t>({12})));
}

TEST(Reshape, TakesTheShapeFromTheOptions) {
  const auto shape = [](const Dims& wanted, const Shape& in) {
    return OpTest(OpKind::reshape, ReshapeAttrs{wanted})
        .input(counting<float>(in))
        .output(DType::float32)
        .result(prepare_reshape)
        .shape;
  };
  EXPECT_EQ(shape({4, -1}, {2, 6}), (Shape{4, 3}));
  EXPECT_EQ(shape({0}, {1, 1}), Shape());  // a scalar as old converters write it
  EXPECT_EQ(shape({0}, {0, 3}), (Shape{0}));
  EXPECT_EQ(shape({-1, 2}, {0, 3}), (Shape{0, 2}));
  EXPECT_EQ(shape({}, {1}), Shape());
}

TEST(Reshape, FallsBackToTheDeclaredShape) {
  const Shape declared{3, 4};
  const auto with = [](const Shape* shape) {
    OpTest t(OpKind::reshape, ReshapeAttrs{});
    t.input(counting<uint8_t>({12})).input(integers({9, 9})).output(DType::uint8, {}, shape);
    return t;
  };
  EXPECT_EQ(with(&declared).result(prepare_reshape).shape, declared);
  const Shape open{3, -1};
  EXPECT_EQ(with(&open).error(prepare_reshape), ErrorCode::op_constant);
  EXPECT_EQ(with(nullptr).error(prepare_reshape), ErrorCode::op_constant);
  const Shape other{3, 5};
  EXPECT_EQ(with(&other).error(prepare_reshape), ErrorCode::op_shape);
}

TEST(Reshape, RefusesWhatDoesNotFit) {
  const auto error = [](const Dims& wanted) {
    return OpTest(OpKind::reshape, ReshapeAttrs{wanted})
        .input(counting<float>({2, 6}))
        .output(DType::float32)
        .error(prepare_reshape);
  };
  for (const Dims& wanted : {Dims{5},
                             {-1, -1},
                             {-2},
                             {5, -1},
                             {0, -1},
                             {INT32_MAX, INT32_MAX, 4},
                             {1, 1, 1, 1, 1, 1, 1, 1, 12}}) {
    EXPECT_EQ(error(wanted), ErrorCode::op_shape);
  }
}

TEST(Reshape, TypesMustAgree) {
  OpTest t(OpKind::reshape, ReshapeAttrs{{12}});
  t.input(counting<int8_t>({12})).output(DType::uint8);
  EXPECT_EQ(t.error(prepare_reshape), ErrorCode::op_type);
  OpTest missing(OpKind::reshape, ReshapeAttrs{});
  missing.absent().output(DType::uint8);
  EXPECT_EQ(missing.error(prepare_reshape), ErrorCode::graph_arity);
}

TEST(Reshape, SaysThatScalesDiffer) {
  OpTest t(OpKind::reshape, ReshapeAttrs{{2, 1}});
  t.input(make<int8_t>({2}, {1, 2}, Quant::affine(0.5F, 0)));
  t.output(DType::int8, Quant::affine(0.25F, 0));
  EXPECT_EQ(values<int8_t>(t.result(prepare_reshape)), (std::vector<int8_t>{1, 2}));
  ASSERT_EQ(t.findings.size(), 1U);
  EXPECT_EQ(t.findings[0].severity, Severity::note);
}

TEST(Squeeze, RemovesOnes) {
  const auto shape = [](const Dims& dims) {
    return OpTest(OpKind::squeeze, SqueezeAttrs{dims})
        .input(counting<int16_t>({1, 3, 1, 2, 1}))
        .output(DType::int16)
        .result(prepare_reshape)
        .shape;
  };
  EXPECT_EQ(shape({}), (Shape{3, 2}));
  EXPECT_EQ(shape({0}), (Shape{3, 1, 2, 1}));
  EXPECT_EQ(shape({-1, 2, 2}), (Shape{1, 3, 2}));
}

TEST(Squeeze, RefusesOtherSizesAndAxes) {
  const auto error = [](int32_t dim) {
    return OpTest(OpKind::squeeze, SqueezeAttrs{{dim}})
        .input(counting<int16_t>({1, 3}))
        .output(DType::int16)
        .error(prepare_reshape);
  };
  EXPECT_EQ(error(1), ErrorCode::op_shape);
  EXPECT_EQ(error(2), ErrorCode::op_attribute);
  EXPECT_EQ(error(-3), ErrorCode::op_attribute);
  EXPECT_EQ(error(INT32_MIN), ErrorCode::op_attribute);
}

TEST(ExpandDims, PutsAOneAnywhere) {
  const auto shape = [](int32_t axis) {
    return OpTest(OpKind::expand_dims)
        .input(counting<float>({2, 3}))
        .constant(scalar(axis))
        .output(DType::float32)
        .result(prepare_reshape)
        .shape;
  };
  EXPECT_EQ(shape(0), (Shape{1, 2, 3}));
  EXPECT_EQ(shape(2), (Shape{2, 3, 1}));
  EXPECT_EQ(shape(-1), (Shape{2, 3, 1}));
  EXPECT_EQ(shape(-3), (Shape{1, 2, 3}));
}

TEST(ExpandDims, RefusesAxesAndRanksBeyond) {
  const auto error = [](const Shape& in, int32_t axis) {
    return OpTest(OpKind::expand_dims)
        .input(counting<float>(in))
        .constant(scalar(axis))
        .output(DType::float32)
        .error(prepare_reshape);
  };
  EXPECT_EQ(error({2, 3}, 3), ErrorCode::op_attribute);
  EXPECT_EQ(error({2, 3}, -4), ErrorCode::op_attribute);
  EXPECT_EQ(error({1, 1, 1, 1, 1, 1, 1, 1}, 0), ErrorCode::op_shape);
  OpTest t(OpKind::expand_dims);
  t.input(counting<float>({2})).input(scalar(0)).output(DType::float32);
  EXPECT_EQ(t.error(prepare_reshape), ErrorCode::op_constant);
}

}  // namespace
}  // namespace edgetwin::ops
