// Scales, zero points, who shares them, and the form of small networks.
#include "quantize/tflite/quantize.h"
#include "quantize/tflite/form/form.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "quantize/tflite/scales.h"
#include "quantize/tflite/steps.h"

namespace edgetwin::quantize {
namespace {

Bytes bytes_of(const std::vector<float>& values) {
  Bytes data(values.size() * sizeof(float));
  std::memcpy(data.data(), values.data(), data.size());
  return data;
}

std::vector<int> ints(const Bytes& data) {
  std::vector<int> result;
  for (const std::byte b : data) result.push_back(static_cast<int8_t>(b));
  return result;
}

TEST(TfliteScales, TheRangeHoldsZero) {
  const Quant positive = asymmetric({2.0F, 5.1F});
  EXPECT_EQ(positive.zero_point, std::vector<int64_t>{-128});
  EXPECT_FLOAT_EQ(positive.scale[0], 5.1F / 255.0F);
  const Quant both = asymmetric({-1.0F, 1.55F});
  EXPECT_EQ(both.zero_point, std::vector<int64_t>{-28});
  EXPECT_EQ(asymmetric({0.0F, 0.0F}), Quant::affine(1.0F, 0));
}

TEST(TfliteScales, WeightsAreSymmetricPerChannel) {
  const std::vector<float> w = {1.0F, -2.0F, 0.5F, 0.25F, 0.0F, 0.0F};
  const Quant q = symmetric(w, 3, 2, 0);
  EXPECT_FLOAT_EQ(q.scale[0], 2.0F / 127.0F);
  EXPECT_FLOAT_EQ(q.scale[1], 0.5F / 127.0F);
  EXPECT_EQ(q.scale[2], 1.0F);
  EXPECT_EQ(ints(to_int8(w, q, 3, 2, -127)), (std::vector<int>{64, -127, 127, 64, 0, 0}));
  // Channels innermost, as a depthwise filter has them.
  const Quant inner = symmetric(w, 2, 1, 3);
  EXPECT_FLOAT_EQ(inner.scale[0], 1.0F / 127.0F);
  EXPECT_FLOAT_EQ(inner.scale[1], 2.0F / 127.0F);
}

TEST(TfliteScales, ABiasHasTheScaleOfTheProducts) {
  Quant q;
  const Quant weights = symmetric(std::vector<float>{127.0F, 254.0F}, 2, 1, 0);
  const Bytes data = to_bias(std::vector<float>{1.0F, 3e9F}, Quant::affine(0.5F, 3), weights, q);
  EXPECT_EQ(q.scale, (std::vector<float>{0.5F, 1.0F}));
  int32_t numbers[2];
  std::memcpy(numbers, data.data(), sizeof numbers);
  EXPECT_EQ(numbers[0], 2);
  EXPECT_EQ(numbers[1], 2147483647);
}

struct Net {
  Graph graph;

  explicit Net(Layout layout = Layout::nhwc) { graph.layout = layout; }

  ValueId add(const std::string& name, const Shape& shape,
              std::optional<std::vector<float>> data = {}) {
    Value v;
    v.name = name;
    v.shape = shape;
    if (data) v.constant = std::make_shared<const Bytes>(bytes_of(*data));
    graph.values.push_back(std::move(v));
    return static_cast<ValueId>(graph.values.size() - 1);
  }
  ValueId op(OpKind kind, std::vector<ValueId> inputs, const Shape& out) {
    const ValueId id = add("v" + std::to_string(graph.values.size()), out);
    Op o;
    o.kind = kind;
    o.attrs = default_attrs(kind);
    o.inputs = std::move(inputs);
    o.outputs = {id};
    graph.ops.push_back(std::move(o));
    return id;
  }
};

Sample sample(const Shape& shape, const std::vector<float>& values) {
  Tensor t;
  t.dtype = DType::float32;
  t.shape = shape;
  t.data = bytes_of(values);
  return {t};
}

TEST(TfliteQuantize, ActivationsAreFusedAndScalesFollowTheKernels) {
  Net n;
  n.graph.inputs = {n.add("x", {1, 4})};
  const ValueId w = n.add("w", {2, 4}, std::vector<float>{1, 0, 0, 0, 0, -1, 0, 0});
  const ValueId full = n.op(OpKind::fully_connected, {0, w, kAbsent}, {1, 2});
  const ValueId relu = n.op(OpKind::relu, {full}, {1, 2});
  const ValueId soft = n.op(OpKind::softmax, {relu}, {1, 2});
  std::get<SoftmaxAttrs>(n.graph.ops[2].attrs).beta = 1.0F;
  n.graph.outputs = {soft};
  const auto q = quantize_tflite(n.graph, {sample({1, 4}, {3, 2, 1, -1})}, {});
  ASSERT_TRUE(q.ok()) << to_text(q.error());
  const Graph& g = q->model.main();
  ASSERT_EQ(g.ops.size(), 2U);
  EXPECT_EQ(g.ops[0].as<FullyConnectedAttrs>().activation, Activation::relu);
  EXPECT_EQ(g.value(g.ops[0].inputs[1]).quant.zero_point, std::vector<int64_t>{0});
  EXPECT_EQ(g.value(g.ops[0].outputs[0]).quant, asymmetric({0.0F, 3.0F}));
  EXPECT_EQ(g.value(g.outputs[0]).quant, Quant::affine(1.0F / 256.0F, -128));
  EXPECT_EQ(g.values.size(), 4U);  // nothing of the float network is left
}

TEST(TfliteQuantize, JoinedTensorsShareAScaleAndFixedOnesAreConverted) {
  Net n;
  n.graph.inputs = {n.add("x", {1, 4})};
  const ValueId gate = n.op(OpKind::logistic, {0}, {1, 4});
  const ValueId joined = n.op(OpKind::concatenation, {0, gate}, {1, 8});
  std::get<ConcatAttrs>(n.graph.ops[1].attrs).axis = 1;
  n.graph.outputs = {joined};
  const auto q = quantize_tflite(n.graph, {sample({1, 4}, {-2, 2, 1, -1})}, {});
  ASSERT_TRUE(q.ok()) << to_text(q.error());
  const Graph& g = q->model.main();
  ASSERT_EQ(g.ops.size(), 3U);
  EXPECT_EQ(g.ops[1].kind, OpKind::quantize);
  EXPECT_EQ(g.value(g.inputs[0]).quant, g.value(g.outputs[0]).quant);
  EXPECT_EQ(g.value(g.ops[1].inputs[0]).quant, Quant::affine(1.0F / 256.0F, -128));
  EXPECT_EQ(g.value(g.ops[1].outputs[0]).quant, g.value(g.outputs[0]).quant);
}

TEST(TfliteQuantize, WhatCannotBeDoneIsSaid) {
  Net n;
  n.graph.inputs = {n.add("x", {1, 4})};
  n.graph.outputs = {n.op(OpKind::sqrt, {0}, {1, 4})};
  EXPECT_EQ(quantize_tflite(n.graph, {sample({1, 4}, {1, 1, 1, 1})}, {}).error().code,
            ErrorCode::quant_operator);
  n.graph.ops[0].kind = OpKind::relu;
  EXPECT_EQ(quantize_tflite(n.graph, {}, {}).error().code, ErrorCode::quant_calibration);
  EXPECT_EQ(quantize_tflite(n.graph, {sample({4}, {1, 1, 1, 1})}, {}).error().code,
            ErrorCode::quant_calibration);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(quantize_tflite(n.graph, {sample({1, 4}, {1, nan, 1, 1})}, {}).error().code,
            ErrorCode::quant_not_finite);
  EXPECT_EQ(
      quantize_tflite(n.graph, {sample({1, 4}, {1, 1, 1, 1})}, {.method = Method::kl}).error().code,
      ErrorCode::quant_setting);
  const auto zero = quantize_tflite(n.graph, {sample({1, 4}, {0, 0, 0, 0})}, {});
  ASSERT_TRUE(zero.ok());
  EXPECT_EQ(zero->findings.size(), 2U);
}

TEST(TfliteForm, ChannelsComeLast) {
  Net n(Layout::nchw);
  n.graph.inputs = {n.add("x", {1, 2, 3, 3})};
  const ValueId c = n.add("c", {2, 1, 1}, std::vector<float>{1, 2});
  const ValueId sum = n.op(OpKind::add, {0, c}, {1, 2, 3, 3});
  std::get<BinaryAttrs>(n.graph.ops[0].attrs) = {};
  const ValueId flat = n.op(OpKind::flatten, {sum}, {1, 18});
  n.graph.outputs = {flat};
  const auto form = to_tflite_form(n.graph);
  ASSERT_TRUE(form.ok()) << to_text(form.error());
  EXPECT_EQ(form->value(form->inputs[0]).shape, (Shape{1, 3, 3, 2}));
  EXPECT_EQ(form->value(form->ops[0].inputs[1]).shape, (Shape{1, 1, 1, 2}));
  ASSERT_EQ(form->ops.size(), 3U);
  EXPECT_EQ(form->ops[1].kind, OpKind::transpose);
  EXPECT_EQ(form->ops[2].kind, OpKind::reshape);
}

TEST(TfliteForm, TheLargestAlongNeighbouringAxesIsAPool) {
  const auto form_of = [](const std::vector<int64_t>& axes, const Shape& out) {
    Net n(Layout::nchw);
    n.graph.inputs = {n.add("x", {2, 3, 4, 5})};
    Value list;
    list.name = "axes";
    list.dtype = DType::int64;
    list.shape = {static_cast<int64_t>(axes.size())};
    Bytes data(axes.size() * sizeof(int64_t));
    std::memcpy(data.data(), axes.data(), data.size());
    list.constant = std::make_shared<const Bytes>(std::move(data));
    n.graph.values.push_back(std::move(list));
    n.graph.outputs = {n.op(OpKind::reduce_max, {0, 1}, out)};
    return to_tflite_form(n.graph);
  };
  const auto form = form_of({-2, 1}, {2, 5});
  ASSERT_TRUE(form.ok()) << to_text(form.error());
  const auto pool = std::find_if(form->ops.begin(), form->ops.end(),
                                 [](const Op& o) { return o.kind == OpKind::max_pool_2d; });
  ASSERT_NE(pool, form->ops.end());
  EXPECT_EQ(form->value(pool->inputs[0]).shape, (Shape{2, 12, 1, 5}));
  EXPECT_EQ(form->value(pool->outputs[0]).shape, (Shape{2, 1, 1, 5}));
  EXPECT_EQ(pool->as<PoolAttrs>().filter_h, 12);
  EXPECT_FALSE(form_of({1, 3}, {2, 4}).ok());
}

TEST(TfliteForm, EveryOperatorWithoutAFormIsListed) {
  Net n(Layout::nchw);
  n.graph.inputs = {n.add("x", {1, 4})};
  const ValueId a = n.op(OpKind::exp, {0}, {1, 4});
  n.graph.outputs = {n.op(OpKind::log, {a}, {1, 4})};
  const auto form = to_tflite_form(n.graph);
  ASSERT_FALSE(form.ok());
  EXPECT_EQ(form.error().details.size(), 2U);
}

// The table says an int8 form only of kinds that a file can hold.
TEST(TfliteQuantize, TheTableIsInOrder) {
  int rows = 0;
  for (int k = 0; k < kOpKindCount; ++k) {
    const TfliteOperator* row = tflite_operator(static_cast<OpKind>(k));
    if (row == nullptr) continue;
    ++rows;
    EXPECT_TRUE(in_tflite(row->kind)) << info(row->kind).name;
    EXPECT_GE(row->version, 1);
  }
  EXPECT_GE(rows, 30);
}

}  // namespace
}  // namespace edgetwin::quantize
