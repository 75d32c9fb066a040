// Operators of ESP-DL that move elements. Source: specification of the runtime, operators 2.3, 7.
#include "ops/espdl_op_test.h"

namespace edgetwin::ops {
namespace {

Tensor ramp(const Shape& shape, int first = 0) {
  std::vector<int> v;
  for (int64_t i = 0; i < shape.elements(); ++i) v.push_back(first + static_cast<int>(i));
  return fixed<int8_t>(shape, v, -3);
}

OpTest moved(OpKind kind, Attrs attrs, const Tensor& x) {
  OpTest t(kind, std::move(attrs));
  t.input(x);
  fixed_output<int8_t>(t, -3);
  return t;
}

std::vector<int> slice(const Shape& shape, const SliceStepsAttrs& a) {
  return numbers<int8_t>(moved(OpKind::slice_steps, a, ramp(shape)).result(espdl("c")));
}

TEST(EspdlSlice, NegativeIndicesAndSteps) {
  EXPECT_EQ(slice({5}, {{1}, {4}, {0}, {1}}), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(slice({5}, {{-3}, {-1}, {-1}, {1}}), (std::vector<int>{2, 3}));
  EXPECT_EQ(slice({5}, {{0}, {INT32_MAX}, {0}, {2}}), (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(slice({5}, {{-100}, {100}, {0}, {3}}), (std::vector<int>{0, 3}));
  EXPECT_EQ(slice({2, 3}, {{1}, {3}, {1}, {1}}), (std::vector<int>{1, 2, 4, 5}));
  EXPECT_EQ(slice({2, 3}, {{1, 0}, {2, 3}, {0, -1}, {1, 2}}), (std::vector<int>{3, 5}));
  EXPECT_EQ(slice({2, 3}, {{}, {}, {}, {}}), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(slice({5}, {{3}, {2}, {0}, {1}}).empty());
  EXPECT_EQ(slice({5}, {{2}, {5}, {0}, {INT64_MAX}}), std::vector<int>{2});
}

TEST(EspdlSlice, Refusals) {
  const auto error = [](const SliceStepsAttrs& a) {
    return moved(OpKind::slice_steps, a, ramp({4, 2})).error(espdl("c"));
  };
  EXPECT_EQ(error({{3}, {0}, {0}, {-1}}), ErrorCode::op_undefined);
  EXPECT_EQ(error({{0}, {1}, {0}, {0}}), ErrorCode::op_undefined);
  EXPECT_EQ(error({{0}, {1}, {2}, {1}}), ErrorCode::op_attribute);
  // The same axis twice would read outside.
  EXPECT_EQ(error({{3, 3}, {4, 4}, {0, -2}, {1, 1}}), ErrorCode::op_attribute);
}

TEST(EspdlSplit, PartsAlongAnyAxis) {
  OpTest t(OpKind::split_sizes, SplitSizesAttrs{-1, {1, 0, 2}});
  t.input(ramp({2, 3}));
  for (int i = 0; i < 3; ++i) fixed_output<int8_t>(t, -3);
  const auto r = t.run(espdl("p4"));
  ASSERT_TRUE(r.ok()) << to_text(r.error());
  EXPECT_EQ(numbers<int8_t>((*r)[0]), (std::vector<int>{0, 3}));
  EXPECT_EQ((*r)[1].shape, (Shape{2, 0}));
  EXPECT_EQ(numbers<int8_t>((*r)[2]), (std::vector<int>{1, 2, 4, 5}));
  const auto error = [](const std::vector<int64_t>& sizes) {
    OpTest bad(OpKind::split_sizes, SplitSizesAttrs{1, sizes});
    bad.input(ramp({2, 3}));
    for (int i = 0; i < 2; ++i) fixed_output<int8_t>(bad, -3);
    return bad.error(espdl("c"));
  };
  EXPECT_EQ(error({1, 1}), ErrorCode::op_shape);
  EXPECT_EQ(error({1, 1, 1}), ErrorCode::op_shape);
  EXPECT_EQ(error({-1, 4}), ErrorCode::op_attribute);
}

std::vector<int> pad(BorderPadAttrs::Mode mode, const Shape& shape,
                     const std::vector<int64_t>& before, const std::vector<int64_t>& after,
                     std::optional<int> value = {}) {
  OpTest t = moved(OpKind::border_pad, BorderPadAttrs{mode, before, after}, ramp(shape, 1));
  if (value) t.constant(fixed<int8_t>({}, {*value}, -3));
  return numbers<int8_t>(t.result(espdl("c")));
}

TEST(EspdlPad, Modes) {
  using Mode = BorderPadAttrs::Mode;
  EXPECT_EQ(pad(Mode::constant, {3}, {2}, {1}), (std::vector<int>{0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(pad(Mode::constant, {3}, {1}, {0}, -9), (std::vector<int>{-9, 1, 2, 3}));
  EXPECT_EQ(pad(Mode::edge, {3}, {2}, {1}), (std::vector<int>{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(pad(Mode::reflect, {3}, {2}, {2}), (std::vector<int>{3, 2, 1, 2, 3, 2, 1}));
  EXPECT_EQ(pad(Mode::constant, {4}, {-1}, {-2}), (std::vector<int>{2}));
  EXPECT_EQ(pad(Mode::reflect, {2, 2}, {1, 0}, {0, 1}),
            (std::vector<int>{3, 4, 3, 1, 2, 1, 3, 4, 3}));
  EXPECT_EQ(pad(Mode::edge, {2, 2}, {1, 1}, {0, 0}), (std::vector<int>{1, 1, 2, 1, 1, 2, 3, 3, 4}));
}

TEST(EspdlPad, Refusals) {
  using Mode = BorderPadAttrs::Mode;
  const auto error = [](Mode mode, const std::vector<int64_t>& before,
                        const std::vector<int64_t>& after) {
    return moved(OpKind::border_pad, BorderPadAttrs{mode, before, after}, ramp({3}))
        .error(espdl("c"));
  };
  EXPECT_EQ(error(Mode::reflect, {3}, {0}), ErrorCode::op_attribute);
  EXPECT_EQ(error(Mode::constant, {0, 0}, {0, 0}), ErrorCode::op_attribute);
  EXPECT_EQ(error(Mode::constant, {-2}, {-2}), ErrorCode::op_attribute);
  EXPECT_EQ(error(Mode::constant, {INT64_MAX}, {0}), ErrorCode::op_attribute);
  OpTest wide = moved(OpKind::border_pad, BorderPadAttrs{Mode::constant, {1}, {0}}, ramp({3}));
  wide.constant(fixed<int16_t>({}, {1}, -3));
  EXPECT_EQ(wide.error(espdl("c")), ErrorCode::op_shape);
}

// Every element with its channel, row and column, under the formulas of the specification.
void check_depth_to_space(BlockAttrs::Order order, int channels, int b) {
  const int h = 2, w = 3;
  const Tensor y = moved(OpKind::depth_to_space, BlockAttrs{b, order}, ramp({1, h, w, channels}))
                       .result(espdl("c"));
  const int co = channels / (b * b);
  ASSERT_EQ(y.shape, (Shape{1, h * b, w * b, co}));
  const auto v = numbers<int8_t>(y);
  const bool crd = order == BlockAttrs::Order::channel_first;
  for (int row = 0; row < h; ++row) {
    for (int column = 0; column < w; ++column) {
      for (int c = 0; c < channels; ++c) {
        const int out_c = crd ? c / (b * b) : c % b;
        const int out_y = row * b + (crd ? c % (b * b) / b : c / (b * b));
        const int out_x = column * b + (crd ? c % b : c % (b * b) / b);
        EXPECT_EQ(v[static_cast<size_t>((out_y * w * b + out_x) * co + out_c)],
                  (row * w + column) * channels + c);
      }
    }
  }
}

TEST(EspdlDepthToSpace, Orders) {
  check_depth_to_space(BlockAttrs::Order::channel_first, 8, 2);
  check_depth_to_space(BlockAttrs::Order::channel_first, 9, 3);
  check_depth_to_space(BlockAttrs::Order::channel_first, 12, 2);
  check_depth_to_space(BlockAttrs::Order::block_wide, 8, 2);
}

TEST(EspdlDepthToSpace, DcrIsOnlyDefinedForAsManyChannelsAsTheBlockIsWide) {
  const auto dcr = [](int channels) {
    return moved(OpKind::depth_to_space, BlockAttrs{2, BlockAttrs::Order::block_wide},
                 ramp({1, 1, 1, channels}));
  };
  EXPECT_EQ(dcr(4).error(espdl("c")), ErrorCode::op_undefined);
  EXPECT_EQ(dcr(12).error(espdl("p4")), ErrorCode::op_undefined);
  EXPECT_TRUE(dcr(4).allow_undefined().run(espdl("c")).ok());
  EXPECT_TRUE(dcr(12).allow_undefined().run(espdl("c")).ok());
  EXPECT_EQ(moved(OpKind::depth_to_space, BlockAttrs{2, BlockAttrs::Order::channel_first},
                  ramp({1, 1, 1, 6}))
                .error(espdl("c")),
            ErrorCode::op_shape);
}

TEST(EspdlSpaceToDepth, PixelUnshuffle) {
  const Tensor y = moved(OpKind::space_to_depth, BlockAttrs{2, BlockAttrs::Order::channel_first},
                         ramp({1, 2, 4, 2}))
                       .result(espdl("s3"));
  EXPECT_EQ(y.shape, (Shape{1, 1, 2, 8}));
  // Channel c of row h, column w: (h * 4 + w) * 2 + c.
  EXPECT_EQ(numbers<int8_t>(y),
            (std::vector<int>{0, 2, 8, 10, 1, 3, 9, 11, 4, 6, 12, 14, 5, 7, 13, 15}));
  EXPECT_EQ(moved(OpKind::space_to_depth, BlockAttrs{2, BlockAttrs::Order::channel_first},
                  ramp({1, 3, 4, 2}))
                .error(espdl("s3")),
            ErrorCode::op_shape);
}

TEST(EspdlInsertZeros, OneAndTwoDimensions) {
  const Tensor one = moved(OpKind::insert_zeros, InsertZerosAttrs{{2}, {1}}, ramp({1, 3, 1}, 1))
                         .result(espdl("c"));
  EXPECT_EQ(one.shape, (Shape{1, 6, 1}));
  EXPECT_EQ(numbers<int8_t>(one), (std::vector<int>{1, 0, 2, 0, 3, 0}));
  const Tensor two =
      moved(OpKind::insert_zeros, InsertZerosAttrs{{2, 3}, {1, 0}}, ramp({1, 2, 2, 2}, 1))
          .result(espdl("c"));
  EXPECT_EQ(two.shape, (Shape{1, 4, 4, 2}));
  EXPECT_EQ(numbers<int8_t>(two),
            (std::vector<int>{1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0,
                              5, 6, 0, 0, 0, 0, 7, 8, 0, 0, 0, 0, 0, 0, 0, 0}));
  const auto error = [](const InsertZerosAttrs& a) {
    return moved(OpKind::insert_zeros, a, ramp({1, 2, 2, 1})).error(espdl("c"));
  };
  EXPECT_EQ(error({{2}, {}}), ErrorCode::op_shape);
  EXPECT_EQ(error({{0, 1}, {}}), ErrorCode::op_attribute);
  EXPECT_EQ(error({{1, 1}, {-1, 0}}), ErrorCode::op_attribute);
}

std::vector<int> scatter(ScatterAttrs::Reduction reduction, const std::vector<int64_t>& indices,
                         const Shape& index_shape, const std::vector<int>& updates) {
  OpTest t(OpKind::scatter_nd, ScatterAttrs{reduction});
  t.input(fixed<int8_t>({2, 3}, {1, 2, 3, 100, -100, 6}, 0));
  t.input(make<int64_t>(index_shape, indices));
  t.input(fixed<int8_t>({static_cast<int64_t>(updates.size())}, updates, 0));
  fixed_output<int8_t>(t, 0);
  return numbers<int8_t>(t.result(espdl("s3")));
}

TEST(EspdlScatterNd, Reductions) {
  using R = ScatterAttrs::Reduction;
  EXPECT_EQ(scatter(R::none, {0, 1, 1, 2}, {2, 2}, {9, 8}),
            (std::vector<int>{1, 9, 3, 100, -100, 8}));
  EXPECT_EQ(scatter(R::add, {1}, {1, 1}, {50, -50, 1}), (std::vector<int>{1, 2, 3, 127, -128, 7}));
  EXPECT_EQ(scatter(R::mul, {1}, {1, 1}, {2, 2, -2}), (std::vector<int>{1, 2, 3, 127, -128, -12}));
  EXPECT_EQ(scatter(R::max, {0}, {1, 1}, {0, 5, 3}), (std::vector<int>{1, 5, 3, 100, -100, 6}));
  EXPECT_EQ(scatter(R::min, {0}, {1, 1}, {0, 5, 3}), (std::vector<int>{0, 2, 3, 100, -100, 6}));
  // The same place twice: one after the other.
  EXPECT_EQ(scatter(R::add, {0, 0, 0, 0}, {2, 2}, {5, 6}),
            (std::vector<int>{12, 2, 3, 100, -100, 6}));
}

TEST(EspdlScatterNd, Refusals) {
  const auto test = [](const std::vector<int64_t>& indices, const Shape& index_shape, int updates) {
    OpTest t(OpKind::scatter_nd, ScatterAttrs{});
    t.input(ramp({2, 3})).input(make<int64_t>(index_shape, indices));
    t.input(ramp({updates}));
    fixed_output<int8_t>(t, -3);
    return t;
  };
  EXPECT_EQ(test({2, 0}, {1, 2}, 1).error(espdl("c")), ErrorCode::op_data);
  EXPECT_EQ(test({0, 0, 0}, {1, 3}, 1).error(espdl("c")), ErrorCode::op_shape);
  EXPECT_EQ(test({0}, {1, 1}, 2).error(espdl("c")), ErrorCode::op_shape);
}

TEST(EspdlReverseSequence, BothOrdersOfAxes) {
  OpTest time_first(OpKind::reverse_sequence, ReverseSequenceAttrs{1, 0});
  time_first.input(ramp({3, 2, 2})).constant(longs({3, 2}));
  fixed_output<int8_t>(time_first, -3);
  EXPECT_EQ(numbers<int8_t>(time_first.result(espdl("c"))),
            (std::vector<int>{8, 9, 6, 7, 4, 5, 2, 3, 0, 1, 10, 11}));
  OpTest batch_first(OpKind::reverse_sequence, ReverseSequenceAttrs{0, 1});
  batch_first.input(ramp({2, 3})).constant(longs({1, 3}));
  fixed_output<int8_t>(batch_first, -3);
  EXPECT_EQ(numbers<int8_t>(batch_first.result(espdl("c"))), (std::vector<int>{0, 1, 2, 5, 4, 3}));
  const auto error = [](const ReverseSequenceAttrs& a, const std::vector<int64_t>& lengths) {
    OpTest t(OpKind::reverse_sequence, a);
    t.input(ramp({2, 3})).constant(longs(lengths));
    fixed_output<int8_t>(t, -3);
    return t.error(espdl("c"));
  };
  EXPECT_EQ(error({0, 0}, {1, 1}), ErrorCode::op_attribute);
  EXPECT_EQ(error({0, 1}, {1, 4}), ErrorCode::op_attribute);
  EXPECT_EQ(error({0, 1}, {1}), ErrorCode::op_attribute);
}

TEST(EspdlShapes, SqueezeUnsqueezeFlattenReshape) {
  const auto shape = [](OpKind kind, Attrs attrs, const Shape& in) {
    return moved(kind, std::move(attrs), ramp(in)).result(espdl("c")).shape;
  };
  EXPECT_EQ(shape(OpKind::unsqueeze, SqueezeAttrs{{0, -1}}, {2, 3}), (Shape{1, 2, 3, 1}));
  EXPECT_EQ(shape(OpKind::unsqueeze, SqueezeAttrs{{1, 2}}, {2, 3}), (Shape{2, 1, 1, 3}));
  EXPECT_EQ(shape(OpKind::squeeze, SqueezeAttrs{{}}, {1, 2, 1}), (Shape{2}));
  EXPECT_EQ(shape(OpKind::squeeze, SqueezeAttrs{{-1}}, {1, 2, 1}), (Shape{1, 2}));
  EXPECT_EQ(shape(OpKind::flatten, AxisAttrs{1}, {2, 3, 4}), (Shape{2, 12}));
  EXPECT_EQ(shape(OpKind::flatten, AxisAttrs{0}, {2, 3, 4}), (Shape{1, 24}));
  EXPECT_EQ(shape(OpKind::flatten, AxisAttrs{3}, {2, 3, 4}), (Shape{24, 1}));
  EXPECT_EQ(shape(OpKind::flatten, AxisAttrs{-1}, {2, 3, 4}), (Shape{6, 4}));
  EXPECT_EQ(shape(OpKind::reshape, ReshapeAttrs{{0, -1}, true}, {2, 3, 4}), (Shape{2, 12}));
  EXPECT_EQ(moved(OpKind::unsqueeze, SqueezeAttrs{{0, -3}}, ramp({2})).error(espdl("c")),
            ErrorCode::op_attribute);
  EXPECT_EQ(moved(OpKind::flatten, AxisAttrs{4}, ramp({2, 3, 4})).error(espdl("c")),
            ErrorCode::op_attribute);
}

TEST(EspdlConcat, RowsAndRefusals) {
  OpTest t(OpKind::concatenation, ConcatAttrs{-1, Activation::none});
  t.input(ramp({2, 1})).input(ramp({2, 2}, 10)).input(ramp({2, 1}, 20));
  fixed_output<int8_t>(t, -3);
  EXPECT_EQ(numbers<int8_t>(t.result(espdl("s3"))),
            (std::vector<int>{0, 10, 11, 20, 1, 12, 13, 21}));
  OpTest rows(OpKind::concatenation, ConcatAttrs{1, Activation::none});
  rows.input(ramp({2, 1})).input(ramp({3, 1}));
  fixed_output<int8_t>(rows, -3);
  EXPECT_EQ(rows.error(espdl("s3")), ErrorCode::op_shape);
}

TEST(EspdlGather, NegativeIndicesAreNotNormalised) {
  OpTest t(OpKind::gather, GatherAttrs{0, 0});
  t.input(ramp({3})).input(make<int64_t>({1}, {-1}));
  fixed_output<int8_t>(t, -3);
  EXPECT_EQ(t.error(espdl("c")), ErrorCode::op_data);
}

TEST(EspdlUnknown, OperatorsOfOtherFormatsAreRefused) {
  for (const OpKind kind :
       {OpKind::relu6, OpKind::maximum, OpKind::cast, OpKind::l2_normalization}) {
    OpTest t(kind, default_attrs(kind));
    t.input(ramp({2})).input(ramp({2}));
    fixed_output<int8_t>(t, -3);
    EXPECT_EQ(t.error(espdl("c")), ErrorCode::op_unsupported) << info(kind).name;
  }
}

}  // namespace
}  // namespace edgetwin::ops
