// The operators without weights: attributes, operands that must be initializers, defaults.
// Source: specification of the runtime, operators 3 to 11.
#include <gtest/gtest.h>

#include "formats/espdl/import/import_sketch.h"

namespace edgetwin::espdl {
namespace {

using namespace testing;

// type(in, constants...) -> out
Sketch sketch(const char* type, std::vector<Attribute> attributes = {},
              std::vector<TensorData> constants = {}) {
  Sketch s(type, std::move(attributes));
  s.in({1, 2, 2, 4});
  for (TensorData& t : constants) s.constant(std::move(t));
  s.out({1, 2, 2, 4});
  return s;
}

TEST(LowerOps, EveryTypeBecomesAKnownKind) {
  const std::vector<std::pair<const char*, OpKind>> unary = {
      {"Relu", OpKind::relu},
      {"LeakyRelu", OpKind::leaky_relu},
      {"Elu", OpKind::elu},
      {"Sigmoid", OpKind::logistic},
      {"Tanh", OpKind::tanh},
      {"Swish", OpKind::swish},
      {"HardSwish", OpKind::hard_swish},
      {"HardSigmoid", OpKind::hard_sigmoid},
      {"Gelu", OpKind::gelu},
      {"LUT", OpKind::lut},
      {"Exp", OpKind::exp},
      {"Log", OpKind::log},
      {"Sqrt", OpKind::sqrt},
      {"Neg", OpKind::neg},
      {"Identity", OpKind::identity},
      {"QuantizeLinear", OpKind::quantize},
      {"RequantizeLinear", OpKind::quantize},
      {"DequantizeLinear", OpKind::dequantize},
      {"Softmax", OpKind::softmax},
      {"LogSoftmax", OpKind::log_softmax},
      {"LayerNormalization", OpKind::layer_norm},
      {"RMSNormalization", OpKind::rms_norm},
      {"LpNormalization", OpKind::lp_norm},
      {"ReduceMax", OpKind::reduce_max},
      {"ReduceMin", OpKind::reduce_min},
      {"ReduceProd", OpKind::reduce_prod},
      {"ReduceL1", OpKind::reduce_l1},
      {"ReduceL2", OpKind::reduce_l2},
      {"ReduceLogSum", OpKind::reduce_log_sum},
      {"ReduceLogSumExp", OpKind::reduce_log_sum_exp},
      {"ReduceSumSquare", OpKind::reduce_sum_square},
      {"ReduceSum", OpKind::reduce_sum},
      {"ReduceMean", OpKind::reduce_mean},
      {"Clip", OpKind::clip},
      {"Flatten", OpKind::flatten},
      {"Squeeze", OpKind::squeeze}};
  for (const auto& [type, kind] : unary) EXPECT_EQ(sketch(type).op().kind, kind) << type;
  const std::vector<std::pair<const char*, OpKind>> binary = {
      {"Add", OpKind::add},
      {"Sub", OpKind::sub},
      {"Mul", OpKind::mul},
      {"Div", OpKind::div},
      {"Pow", OpKind::pow},
      {"Mod", OpKind::mod},
      {"Equal", OpKind::equal},
      {"Greater", OpKind::greater},
      {"GreaterOrEqual", OpKind::greater_equal},
      {"Less", OpKind::less},
      {"LessOrEqual", OpKind::less_equal},
      {"PRelu", OpKind::prelu}};
  for (const auto& [type, kind] : binary) {
    Sketch s = sketch(type);
    s.in({1});
    EXPECT_EQ(s.op().kind, kind) << type;
    // One operand only: the plan says so.
    exec::Options options;
    options.numerics = "espdl-c";
    const auto model = sketch(type).imported();
    ASSERT_TRUE(model.ok()) << to_text(model.error());
    const auto session =
        exec::Session::create(std::make_shared<const Graph>(model->main()), options);
    ASSERT_FALSE(session.ok()) << type;
    EXPECT_EQ(session.error().code, ErrorCode::graph_arity) << type;
  }
}

TEST(LowerOps, DefaultsOfActivations) {
  EXPECT_EQ(sketch("LeakyRelu").op().as<AlphaAttrs>().alpha, 0.01F);
  EXPECT_EQ(sketch("Elu").op().as<AlphaAttrs>().alpha, 1.0F);
  EXPECT_EQ(sketch("HardSigmoid").op().as<AlphaAttrs>(), (AlphaAttrs{0.2F, 0.5F}));
  EXPECT_EQ(sketch("HardSigmoid", {real("alpha", 0.25F), real("beta", 1.0F)}).op().as<AlphaAttrs>(),
            (AlphaAttrs{0.25F, 1.0F}));
  EXPECT_EQ(sketch("Softmax").op().as<SoftmaxAttrs>().axis, -1);
  EXPECT_EQ(sketch("Softmax", {integer("axis", 1)}).op().as<SoftmaxAttrs>().axis, 1);
  EXPECT_EQ(sketch("Softmax", {integer("axis", INT64_MAX)}).error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("LpNormalization").op().as<NormAttrs>(), (NormAttrs{-1, 1e-5F, 2}));
  Sketch mod = sketch("Mod", {integer("fmod", 0)});
  mod.in({1});
  EXPECT_EQ(mod.error(), ErrorCode::espdl_attribute);
}

TEST(LowerOps, ReductionsTakeAxesFromOperandOrAttribute) {
  const auto axes = [](const Sketch& s) {
    const auto model = s.imported();
    const Op& op = model->main().ops[0];
    if (!op.has_input(1)) return std::vector<int>{-99};
    return Sketch::numbers<int64_t>(*model->main().value(op.inputs[1]).constant);
  };
  EXPECT_EQ(axes(sketch("ReduceSum")), std::vector<int>{-99});
  EXPECT_EQ(axes(sketch("ReduceSum", {}, {longs("a", {1, -1})})), (std::vector<int>{1, -1}));
  EXPECT_EQ(axes(sketch("ReduceMean", {list("axes", {2})})), std::vector<int>{2});
  EXPECT_TRUE(sketch("ReduceSum").op().as<ReduceAttrs>().keep_dims);
  EXPECT_FALSE(sketch("ReduceSum", {integer("keepdims", 0)}).op().as<ReduceAttrs>().keep_dims);
  EXPECT_TRUE(sketch("ReduceSum", {integer("noop_with_empty_axes", 1)})
                  .op()
                  .as<ReduceAttrs>()
                  .noop_without_axes);
}

// Shapes, axes, indices and pads are read while the model is loaded.
TEST(LowerOps, ComputedOperandsAreRefusedWhereInitializersAreNeeded) {
  for (const char* type :
       {"Reshape", "ReduceSum", "Unsqueeze", "Squeeze", "Slice", "Pad", "Split"}) {
    Sketch s = sketch(type);
    s.in({1}, DataType::int64, 0);
    EXPECT_EQ(s.error(), ErrorCode::espdl_reference) << type;
  }
  EXPECT_EQ(sketch("Reshape", {}, {data<float>("f", DataType::float32, {1}, {1.0F})}).error(),
            ErrorCode::espdl_tensor);
}

TEST(LowerOps, Shapes) {
  const auto reshape = sketch("Reshape", {}, {longs("s", {0, -1})}).op().as<ReshapeAttrs>();
  EXPECT_EQ(reshape.new_shape, (std::vector<int32_t>{0, -1}));
  EXPECT_TRUE(reshape.zero_copies);
  EXPECT_FALSE(sketch("Reshape", {integer("allowzero", 1)}, {longs("s", {0})})
                   .op()
                   .as<ReshapeAttrs>()
                   .zero_copies);
  EXPECT_EQ(sketch("Reshape", {}, {longs("s", {int64_t{1} << 40})}).error(),
            ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Reshape").error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Unsqueeze").error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Unsqueeze", {list("axes", {0})}).op().as<SqueezeAttrs>().squeeze_dims,
            std::vector<int32_t>{0});
  EXPECT_EQ(sketch("Flatten").op().as<AxisAttrs>().axis, 1);
  EXPECT_EQ(sketch("Flatten", {integer("axis", 99)}).error(), ErrorCode::espdl_attribute);
}

TEST(LowerOps, MissingAttributes) {
  EXPECT_EQ(sketch("Concat").error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Transpose").error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("DepthToSpace").error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("SpaceToDepth", {integer("blocksize", 0)}).error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Pad").error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Pad", {text("mode", "wrap")}, {longs("p", {})}).error(),
            ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Slice", {}, {longs("starts", {0})}).error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Split").error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("Resize").error(), ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("ScatterND", {text("reduction", "average")}).error(),
            ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("StreamingCache", {integer("window_size", 0)}).error(),
            ErrorCode::espdl_attribute);
  EXPECT_EQ(sketch("StreamingCache", {integer("frame_axis", 4)}).error(),
            ErrorCode::espdl_attribute);
}

TEST(LowerOps, Slices) {
  const auto a = sketch("Slice", {},
                        {longs("starts", {-1, INT64_MIN}), longs("ends", {INT64_MAX, 2}),
                         longs("axes", {3, 1}), longs("steps", {1, 2})})
                     .op()
                     .as<SliceStepsAttrs>();
  EXPECT_EQ(a.starts, (std::vector<int64_t>{-1, INT32_MIN}));
  EXPECT_EQ(a.ends, (std::vector<int64_t>{INT32_MAX, 2}));
  EXPECT_EQ(a.axes, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(a.steps, (std::vector<int64_t>{1, 2}));
  const auto short_form = sketch("Slice", {}, {longs("starts", {0, 1}), longs("ends", {1, 2})})
                              .op()
                              .as<SliceStepsAttrs>();
  EXPECT_EQ(short_form.axes, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(short_form.steps, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(sketch("Slice", {}, {longs("starts", {0, 1}), longs("ends", {1})}).error(),
            ErrorCode::espdl_attribute);
  const auto narrow = sketch("Slice", {},
                             {data<int32_t>("starts", DataType::int32, {1}, {-2}),
                              data<int32_t>("ends", DataType::int32, {1}, {7})})
                          .op()
                          .as<SliceStepsAttrs>();
  EXPECT_EQ(narrow.starts, std::vector<int64_t>{-2});
}

// Without the tensor the runtime takes the number of outputs for the length of a part.
TEST(LowerOps, SplitByNumberOfOutputs) {
  Sketch s("Split", {integer("axis", 1), integer("num_outputs", 3)});
  s.in({1, 8}).out({1, 3}).out({1, 3}).out({1, 2});
  EXPECT_EQ(s.op().as<SplitSizesAttrs>().sizes, (std::vector<int64_t>{3, 3, 2}));
  EXPECT_EQ(s.imported()->findings.size(), 1U);
  Sketch given("Split", {integer("axis", 1)});
  given.in({1, 8}).constant(longs("split", {2, 6})).out({1, 2}).out({1, 6});
  EXPECT_EQ(given.op().as<SplitSizesAttrs>().sizes, (std::vector<int64_t>{2, 6}));
  EXPECT_TRUE(given.imported()->findings.empty());
}

TEST(LowerOps, PadsAndBlocks) {
  const auto pad = sketch("Pad", {text("mode", "reflect")}, {longs("p", {1, 2, 3, 4, 5, 6, 7, 8})})
                       .op()
                       .as<BorderPadAttrs>();
  EXPECT_EQ(pad.mode, BorderPadAttrs::Mode::reflect);
  EXPECT_EQ(pad.before, (std::vector<int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(pad.after, (std::vector<int64_t>{5, 6, 7, 8}));
  const auto order = [](const char* type, std::vector<Attribute> attributes) {
    attributes.push_back(integer("blocksize", 2));
    return sketch(type, std::move(attributes)).op().as<BlockAttrs>().order;
  };
  EXPECT_EQ(order("DepthToSpace", {}), BlockAttrs::Order::block_wide);
  EXPECT_EQ(order("DepthToSpace", {text("mode", "DCR")}), BlockAttrs::Order::block_wide);
  EXPECT_EQ(order("DepthToSpace", {text("mode", "CRD")}), BlockAttrs::Order::channel_first);
  EXPECT_EQ(order("SpaceToDepth", {}), BlockAttrs::Order::channel_first);
}

TEST(LowerOps, ResizeReordersScalesAndSizes) {
  const auto resize = [](std::vector<Attribute> attributes) {
    Sketch s("Resize", std::move(attributes));
    s.in({1, 2, 2, 4}).absent();
    return s;
  };
  Sketch scales = resize({text("mode", "linear")});
  scales.constant(data<float>("s", DataType::float32, {4}, {1.0F, 5.0F, 2.0F, 3.0F}));
  scales.out({1, 4, 6, 20});
  EXPECT_EQ(scales.op().as<ScaleAttrs>().scales, (std::vector<float>{1, 2, 3, 5}));
  EXPECT_EQ(scales.op().as<ScaleAttrs>().mode, ScaleAttrs::Mode::linear);
  EXPECT_TRUE(scales.imported()->findings.empty());
  Sketch sizes =
      resize({text("coordinate_transformation_mode", "align_corners"), text("mode", "linear")});
  sizes.absent().constant(longs("z", {1, 4, 6, 7})).out({1, 6, 7, 4});
  EXPECT_EQ(sizes.op().as<ScaleAttrs>().sizes, (std::vector<int64_t>{1, 6, 7, 4}));
  EXPECT_TRUE(sizes.op().as<ScaleAttrs>().align_corners);
  Sketch odd = resize({text("coordinate_transformation_mode", "half_pixel")});
  odd.constant(data<float>("s", DataType::float32, {4}, {1, 1, 2, 2})).out({1, 4, 4, 4});
  EXPECT_EQ(odd.imported()->findings.size(), 1U);
}

TEST(LowerOps, ResizeRuns) {
  Sketch s("Resize", {text("coordinate_transformation_mode", "asymmetric")});
  s.in({1, 1, 2, 1}).absent().constant(data<float>("s", DataType::float32, {4}, {1, 1, 2, 2}));
  s.out({1, 2, 4, 1});
  EXPECT_EQ(s.run<int8_t>({3, 9}, "espdl-c", Target::c),
            (std::vector<int>{3, 3, 9, 9, 3, 3, 9, 9}));
}

TEST(LowerOps, RecurrentOperators) {
  const auto gru = [](std::vector<Attribute> attributes) {
    attributes.push_back(integer("hidden_size", 2));
    Sketch s("GRU", std::move(attributes));
    s.in({3, 1, 2}).constant(tensor("W", DataType::int8, {1, 6, 2}, 12));
    s.constant(tensor("R", DataType::int8, {1, 6, 2}, 12)).out({3, 1, 1, 2});
    return s;
  };
  const auto a = gru({text("direction", "bidirectional"), integer("linear_before_reset", 1),
                      integer("gate_exponent", -9)})
                     .op()
                     .as<RecurrentAttrs>();
  EXPECT_TRUE(a.bidirectional && a.linear_before_reset && !a.reverse);
  EXPECT_EQ(a.gate_exponent, -9);
  EXPECT_EQ(gru({}).op().as<RecurrentAttrs>().gate_exponent, -8);
  EXPECT_TRUE(gru({text("direction", "reverse")}).op().as<RecurrentAttrs>().reverse);
  EXPECT_EQ(gru({integer("layout", 1)}).error(), ErrorCode::espdl_attribute);
}

// Three runs and a reset: the frames before, zeros at first.
TEST(LowerOps, StreamingCacheOverSeveralRuns) {
  for (const int window : {1, 3, 5}) {
    Sketch s("StreamingCache", {integer("window_size", window), integer("frame_axis", 1)});
    s.in({1, 2, 2}).out({1, window + 1, 2});
    auto model = s.imported();
    ASSERT_TRUE(model.ok()) << to_text(model.error());
    exec::Options options;
    options.numerics = "espdl-p4";
    auto session =
        exec::Session::create(std::make_shared<const Graph>(std::move(model->graphs[0])), options);
    ASSERT_TRUE(session.ok()) << to_text(session.error());
    std::vector<int> history(static_cast<size_t>(window - 1) * 2, 0);
    for (int run = 0; run < 6; ++run) {
      if (run == 4) {
        session->reset_variables();
        history.assign(history.size(), 0);
      }
      std::vector<int8_t> in;
      for (int i = 0; i < 4; ++i) in.push_back(static_cast<int8_t>(10 * run + i + 1));
      ASSERT_TRUE(session->set_input(0, Sketch::as_bytes(in)).ok());
      ASSERT_TRUE(session->run().ok());
      std::vector<int> wanted = history;
      wanted.insert(wanted.end(), in.begin(), in.end());
      EXPECT_EQ(Sketch::numbers<int8_t>(session->output(0).data), wanted) << window << " " << run;
      history.assign(wanted.end() - static_cast<std::ptrdiff_t>(history.size()), wanted.end());
    }
  }
}

TEST(LowerOps, TransposeGatherScatterReverse) {
  Sketch transpose("Transpose", {list("perm", {1, 0})});
  transpose.in({2, 3}).out({3, 2});
  EXPECT_EQ(transpose.run<int8_t>({1, 2, 3, 4, 5, 6}, "espdl-c", Target::c),
            (std::vector<int>{1, 4, 2, 5, 3, 6}));
  Sketch gather("Gather", {integer("axis", 1)});
  gather.in({2, 3}).constant(longs("i", {2, 0})).out({2, 2});
  EXPECT_EQ(gather.run<int8_t>({1, 2, 3, 4, 5, 6}, "espdl-c", Target::c),
            (std::vector<int>{3, 1, 6, 4}));
  Sketch scatter("ScatterND", {text("reduction", "max")});
  scatter.in({3}).constant(data<int64_t>("i", DataType::int64, {1, 1}, {1}));
  scatter.constant(data<int8_t>("u", DataType::int8, {1}, {7}, {-3})).out({3});
  EXPECT_EQ(scatter.run<int8_t>({1, 2, 3}, "espdl-c", Target::c), (std::vector<int>{1, 7, 3}));
  Sketch reverse("ReverseSequence", {integer("batch_axis", 0), integer("time_axis", 1)});
  reverse.in({1, 3}).constant(longs("l", {2})).out({1, 3});
  EXPECT_EQ(reverse.run<int8_t>({1, 2, 3}, "espdl-c", Target::c), (std::vector<int>{2, 1, 3}));
  Sketch zeros("InsertZeros", {list("stride", {2}), list("output_padding", {0})});
  zeros.in({1, 2, 1}).out({1, 3, 1});
  EXPECT_EQ(zeros.run<int8_t>({1, 2}, "espdl-c", Target::c), (std::vector<int>{1, 0, 2}));
}

}  // namespace
}  // namespace edgetwin::espdl
