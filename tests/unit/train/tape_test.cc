// Operators of ONNX networks with their gradients: results against the session, gradients against
// finite differences.
#include "train/tape/tape.h"

#include <gtest/gtest.h>

#include <cmath>

#include "exec/session.h"
#include "quantize/networks.h"
#include "train/math/random.h"

namespace edgetwin::train {
namespace {

using quantize::Builder;

constexpr double kStepSize = 1e-5;

Numbers operand_numbers(const Value& v, uint32_t seed, double low, double high) {
  Random rng(seed, Purpose::weights);
  Numbers n(static_cast<size_t>(v.shape.elements()));
  for (double& x : n) {
    x = low + (high - low) * static_cast<double>(rng.uniform());
    x = static_cast<double>(static_cast<float>(x));
  }
  return n;
}

// The last operator of a graph, all of whose data operands get numbers between low and high.
struct OperatorCase {
  Graph graph;
  double low = -1, high = 1;
};

std::vector<const Numbers*> addresses(const std::vector<Numbers>& in) {
  std::vector<const Numbers*> to;
  for (const Numbers& n : in) to.push_back(&n);
  return to;
}

// A weighted sum of the results, so that every one counts.
double weighted(const Numbers& out) {
  double sum = 0;
  for (size_t i = 0; i < out.size(); ++i) sum += out[i] * std::cos(static_cast<double>(i) + 1);
  return sum;
}

void check_gradients(const Step& step, std::vector<Numbers> in, size_t results) {
  Numbers out(results), gradient(results);
  step.forward(addresses(in), out);
  for (size_t i = 0; i < results; ++i) gradient[i] = std::cos(static_cast<double>(i) + 1);
  std::vector<Numbers> given;
  std::vector<Numbers*> to;
  for (const Numbers& n : in) given.emplace_back(n.size());
  for (Numbers& n : given) to.push_back(&n);
  step.backward(addresses(in), out, gradient, to);
  for (size_t o = 0; o < in.size(); ++o) {
    for (size_t i = 0; i < in[o].size(); ++i) {
      const double at = in[o][i];
      Numbers up(results), down(results);
      in[o][i] = at + kStepSize;
      step.forward(addresses(in), up);
      in[o][i] = at - kStepSize;
      step.forward(addresses(in), down);
      in[o][i] = at;
      const double wanted = (weighted(up) - weighted(down)) / (2 * kStepSize);
      EXPECT_NEAR(given[o][i], wanted, 1e-6 * std::max(1.0, std::abs(wanted)))
          << "operand " << o << ", element " << i;
    }
  }
}

void check_results(const Graph& graph, const std::vector<size_t>& data,
                   const std::vector<Numbers>& in, const Numbers& out, size_t output) {
  Graph g = graph;
  const Op op = g.ops.back();
  g.ops = {op};
  g.inputs.clear();
  for (size_t i = 0; i < data.size(); ++i) {
    Value& v = g.value(op.inputs[data[i]]);
    std::vector<float> values(in[i].begin(), in[i].end());
    v.constant = nullptr;
    if (data[i] > 0) {  // weights must be constant
      v.constant = std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(values))));
    } else {
      g.inputs.push_back(op.inputs[0]);
    }
  }
  g.outputs = {op.outputs[output]};
  exec::Options options;
  options.numerics = "onnx";
  auto session = exec::Session::create(std::make_shared<const Graph>(g), options);
  ASSERT_TRUE(session.ok()) << to_text(session.error());
  const std::vector<float> first(in[0].begin(), in[0].end());
  ASSERT_TRUE(session->set_input(0, std::as_bytes(std::span(first))).ok());
  ASSERT_TRUE(session->run().ok());
  const Tensor result = session->output(0);
  const auto values = result.as<float>();
  ASSERT_EQ(values.size(), out.size());
  for (size_t i = 0; i < out.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(values[i]), out[i], 2e-5 * std::max(1.0, std::abs(out[i])))
        << "result " << i;
  }
}

void check_operator(const OperatorCase& c) {
  const size_t index = c.graph.ops.size() - 1;
  const Op& op = c.graph.ops[index];
  const std::vector<size_t> data = data_operands(c.graph, op);
  std::vector<Numbers> in;
  for (const size_t i : data) {
    in.push_back(
        operand_numbers(c.graph.value(op.inputs[i]), static_cast<uint32_t>(7 + i), c.low, c.high));
  }
  for (size_t k = 0; k < op.outputs.size(); ++k) {
    SCOPED_TRACE(op.type + " output " + std::to_string(k));
    auto step = make_step(c.graph, index, k);
    ASSERT_TRUE(step.ok()) << to_text(step.error());
    Numbers out(static_cast<size_t>(c.graph.value(op.outputs[k]).shape.elements()));
    (*step)->forward(addresses(in), out);
    check_results(c.graph, data, in, out, k);
    check_gradients(**step, in, out.size());
  }
}

OperatorCase one(OpKind kind, Shape in, Shape out, Attrs attrs, double low = -1, double high = 1) {
  Builder b;
  const ValueId x = b.input("x", in);
  const ValueId y = b.op(kind, std::string("Op") + std::to_string(static_cast<int>(kind)), {x}, out,
                         std::move(attrs));
  return {b.finish({y}), low, high};
}

OperatorCase two(OpKind kind, Shape first, Shape second, Shape out, double low = -1,
                 double high = 1) {
  Builder b;
  const ValueId x = b.input("x", first);
  const ValueId y = b.random("y", second);
  const ValueId z =
      b.op(kind, std::string("Op") + std::to_string(static_cast<int>(kind)), {x, y}, out);
  return {b.finish({z}), low, high};
}

TEST(Tape, FunctionsOfOneNumber) {
  const Shape s{1, 2, 3, 5};
  for (const OpKind kind :
       {OpKind::relu, OpKind::relu6, OpKind::logistic, OpKind::tanh, OpKind::swish, OpKind::gelu,
        OpKind::hard_swish, OpKind::exp, OpKind::neg, OpKind::identity}) {
    if (kind == OpKind::relu6) continue;  // of TensorFlow Lite
    check_operator(one(kind, s, s, default_attrs(kind), -4, 4));
  }
  check_operator(one(OpKind::sqrt, s, s, NoAttrs{}, 0.5, 4));
  check_operator(one(OpKind::log, s, s, NoAttrs{}, 0.5, 4));
  check_operator(one(OpKind::leaky_relu, s, s, AlphaAttrs{0.1F, 0}, -4, 4));
  check_operator(one(OpKind::elu, s, s, AlphaAttrs{0.7F, 0}, -4, 4));
  check_operator(one(OpKind::hard_sigmoid, s, s, AlphaAttrs{0.2F, 0.5F}, -4, 4));
}

TEST(Tape, LimitsAndPowers) {
  Builder b;
  const ValueId x = b.input("x", {1, 7});
  const ValueId low = b.constant("low", {}, {-0.5F});
  const ValueId high = b.constant("high", {}, {0.75F});
  const ValueId y = b.op(OpKind::clip, "Clip", {x, low, high}, {1, 7});
  check_operator({b.finish({y}), -2, 2});
  Builder p;
  const ValueId a = p.input("x", {1, 7});
  const ValueId e = p.constant("e", {}, {2.5F});
  const ValueId z = p.op(OpKind::pow, "Pow", {a, e}, {1, 7});
  check_operator({p.finish({z}), 0.5, 2});
}

TEST(Tape, PairsWithBroadcasting) {
  for (const OpKind kind : {OpKind::add, OpKind::sub, OpKind::mul, OpKind::div}) {
    check_operator(two(kind, {1, 3, 2, 4}, {1, 3, 2, 4}, {1, 3, 2, 4}, 0.5, 2));
    check_operator(two(kind, {1, 3, 2, 4}, {3, 1, 1}, {1, 3, 2, 4}, 0.5, 2));
    check_operator(two(kind, {1, 3, 1, 4}, {1, 1, 2, 1}, {1, 3, 2, 4}, 0.5, 2));
    check_operator(two(kind, {1, 3, 2}, {}, {1, 3, 2}, 0.5, 2));
  }
  check_operator(two(OpKind::prelu, {1, 3, 2, 4}, {3, 1, 1}, {1, 3, 2, 4}));
}

struct ConvCase {
  Shape in, filter, out;
  int stride, dilation, top, left, bottom, right;
};

TEST(Tape, Convolutions) {
  const ConvCase cases[] = {
      {{1, 3, 5, 7}, {4, 3, 3, 3}, {1, 4, 5, 7}, 1, 1, 1, 1, 1, 1},
      {{1, 4, 6, 5}, {6, 2, 3, 2}, {1, 6, 3, 3}, 2, 1, 1, 0, 0, 1},  // two groups, unequal pads
      {{1, 3, 7, 7}, {3, 1, 3, 3}, {1, 3, 7, 7}, 1, 2, 2, 2, 2, 2},  // depthwise, dilated
      {{1, 2, 3, 3}, {5, 2, 5, 5}, {1, 5, 3, 3}, 1, 1, 2, 2, 2, 2},  // window above the picture
      {{1, 1, 4, 1}, {1, 1, 1, 1}, {1, 1, 2, 1}, 2, 1, 0, 0, 0, 0},
  };
  for (const ConvCase& c : cases) {
    Builder b;
    const ValueId x = b.input("x", c.in);
    Conv2DAttrs a;
    a.stride_h = a.stride_w = c.stride;
    a.dilation_h = a.dilation_w = c.dilation;
    a.padding = {Padding::Kind::given, c.top, c.left, c.bottom, c.right};
    const bool depthwise = c.filter[1] == 1 && c.in[1] > 1;
    const ValueId y = b.op(depthwise ? OpKind::depthwise_conv_2d : OpKind::conv_2d, "Conv",
                           {x, b.random("w", c.filter), b.random("b", {c.filter[0]})}, c.out, a);
    check_operator({b.finish({y})});
  }
}

TEST(Tape, ConvolutionInOneDimension) {
  Builder b;
  const ValueId x = b.input("x", {1, 3, 9});
  Conv2DAttrs a;
  a.stride_h = 1;
  a.stride_w = 2;
  a.padding = {Padding::Kind::given, 0, 1, 0, 1};
  const ValueId y = b.op(OpKind::conv_2d, "Conv", {x, b.random("w", {4, 3, 3}), b.random("b", {4})},
                         {1, 4, 5}, a);
  check_operator({b.finish({y})});
}

TEST(Tape, Products) {
  Builder g;
  const ValueId x = g.input("x", {2, 5});
  FullyConnectedAttrs keep;
  keep.keep_num_dims = true;
  const ValueId y = g.op(OpKind::fully_connected, "Gemm",
                         {x, g.random("w", {3, 5}), g.random("b", {3})}, {2, 3}, keep);
  check_operator({g.finish({y})});
  check_operator(two(OpKind::matmul, {1, 2, 3, 4}, {4, 5}, {1, 2, 3, 5}));
  check_operator(two(OpKind::matmul, {1, 2, 3, 4}, {1, 2, 4, 2}, {1, 2, 3, 2}));
}

TEST(Tape, Pools) {
  for (const OpKind kind : {OpKind::max_pool_2d, OpKind::average_pool_2d}) {
    for (const bool counted : {false, true}) {
      PoolAttrs a;
      a.stride_h = a.stride_w = 2;
      a.filter_h = a.filter_w = 3;
      a.padding = {Padding::Kind::given, 1, 1, 1, 1};
      a.count_padding = counted;
      check_operator(one(kind, {1, 2, 5, 6}, {1, 2, 3, 3}, a));
    }
  }
  check_operator(one(OpKind::average_pool_2d, {1, 3, 4, 5}, {1, 3, 1, 1},
                     PoolAttrs{{Padding::Kind::given, 0, 0, 0, 0}, 1, 1, 0, 0}));
}

ValueId axes(Builder& b, std::vector<int64_t> list) {
  const ValueId id = b.value("axes", {static_cast<int64_t>(list.size())});
  b.graph.value(id).dtype = DType::int64;
  b.graph.value(id).constant =
      std::make_shared<const Bytes>(to_bytes(std::as_bytes(std::span(list))));
  return id;
}

TEST(Tape, Rows) {
  for (const OpKind kind : {OpKind::reduce_mean, OpKind::reduce_sum, OpKind::reduce_max}) {
    Builder b;
    const ValueId x = b.input("x", {1, 3, 4, 2});
    const ValueId y = b.op(kind, "Reduce", {x, axes(b, {-1, 1})}, {1, 4}, ReduceAttrs{});
    check_operator({b.finish({y})});
  }
  check_operator(one(OpKind::softmax, {1, 4, 3}, {1, 4, 3}, SoftmaxAttrs{1.0F, 1}));
  check_operator(one(OpKind::log_softmax, {1, 4, 3}, {1, 4, 3}, SoftmaxAttrs{1.0F, -1}));
  Builder b;
  const ValueId x = b.input("x", {1, 3, 6});
  const ValueId y = b.op(OpKind::layer_norm, "LayerNormalization",
                         {x, b.random("s", {6}), b.random("o", {6})}, {1, 3, 6}, NormAttrs{});
  check_operator({b.finish({y})});
}

TEST(Tape, Movement) {
  check_operator(one(OpKind::flatten, {1, 2, 3, 2}, {1, 12}, AxisAttrs{1}));
  check_operator(one(OpKind::depth_to_space, {1, 8, 2, 3}, {1, 2, 4, 6},
                     BlockAttrs{2, BlockAttrs::Order::channel_first}));
  check_operator(
      one(OpKind::slice_steps, {1, 6, 5}, {1, 2, 5}, SliceStepsAttrs{{1}, {5}, {1}, {2}}));
  check_operator(one(OpKind::border_pad, {1, 2, 3}, {1, 2, 6},
                     BorderPadAttrs{BorderPadAttrs::Mode::reflect, {0, 0, 2}, {0, 0, 1}}));
  check_operator(
      one(OpKind::insert_zeros, {1, 2, 3, 2}, {1, 2, 5, 3}, InsertZerosAttrs{{2, 2}, {}}));
  Builder b;
  const ValueId x = b.input("x", {1, 5, 3});
  Op split;
  split.kind = OpKind::split_sizes;
  split.type = "Split";
  split.attrs = SplitSizesAttrs{1, {2, 3}};
  split.inputs = {x};
  split.outputs = {b.value("p", {1, 2, 3}), b.value("q", {1, 3, 3})};
  b.graph.ops.push_back(split);
  check_operator({b.finish(split.outputs)});
}

TEST(Tape, Resizing) {
  ScaleAttrs a;
  a.mode = ScaleAttrs::Mode::linear;
  a.scales = {1, 1, 2, 1.5F};
  check_operator(one(OpKind::resize, {1, 2, 3, 4}, {1, 2, 6, 6}, a));
  a.mode = ScaleAttrs::Mode::nearest;
  check_operator(one(OpKind::resize, {1, 2, 3, 4}, {1, 2, 6, 6}, a));
}

TEST(Tape, AnOperatorWithoutGradientIsNamed) {
  const OperatorCase c = one(OpKind::lp_norm, {1, 4}, {1, 4}, NormAttrs{});
  const auto step = make_step(c.graph, 0, 0);
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.error().id(), "TRAIN-NET-05");
}

}  // namespace
}  // namespace edgetwin::train
