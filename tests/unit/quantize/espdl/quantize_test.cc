#include "quantize/espdl/quantize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/session.h"
#include "quantize/espdl/analyse.h"
#include "quantize/espdl/passes/passes.h"
#include "quantize/espdl/search.h"
#include "quantize/networks.h"
#include "transform/equalize.h"

namespace edgetwin::quantize {
namespace {

// conv, relu, conv, with a short cut around both.
Graph residual(Builder& b) {
  const ValueId x = b.input("x", {1, 4, 6, 5});
  const ValueId y = b.conv(b.relu(b.conv(x, 7)), 4);
  return b.finish({b.add(x, y)});
}

Settings of(espdl::Target target, int bits = 8) {
  Settings s;
  s.target = target;
  s.bits = bits;
  return s;
}

TEST(Quantize, RunsOnEveryTargetAndComesCloseToTheFloatNetwork) {
  for (const auto target : {espdl::Target::c, espdl::Target::esp32s3, espdl::Target::esp32p4}) {
    for (const int bits : {8, 16}) {
      Builder b;
      const Graph g = residual(b);
      const auto samples = b.samples(4);
      Settings s = of(target, bits);
      s.method = Method::minmax;
      const auto q = quantize_espdl(g, samples, s);
      ASSERT_TRUE(q.ok()) << to_text(q.error());
      ASSERT_TRUE(verify_graph(q->graph).ok());
      const auto a = analyse(*q, samples, s);
      ASSERT_TRUE(a.ok()) << to_text(a.error());
      EXPECT_GT(decibels(a->output_noise), bits == 8 ? 25.0 : 60.0) << bits;
      EXPECT_GE(a->layers.size(), 3U);
    }
  }
}

TEST(Quantize, IsTheSameForAnyNumberOfThreads) {
  for (const Method method : {Method::kl, Method::percentile, Method::minmax, Method::mse}) {
    Builder b;
    const Graph g = residual(b);
    const auto samples = b.samples(5);
    Settings s = of(espdl::Target::esp32p4);
    s.method = method;
    const auto one = quantize_espdl(g, samples, s);
    s.threads = 3;
    const auto three = quantize_espdl(g, samples, s);
    ASSERT_TRUE(one.ok() && three.ok());
    std::string difference;
    EXPECT_TRUE(equal(one->graph, three->graph, &difference)) << difference;
  }
}

TEST(Quantize, MixedWidthsMeetInConversions) {
  Builder b;
  const Graph g = residual(b);
  const auto samples = b.samples(3);
  Settings s = of(espdl::Target::c);
  s.bits_of["Conv3"] = 16;
  const auto q = quantize_espdl(g, samples, s);
  ASSERT_TRUE(q.ok()) << to_text(q.error());
  int conversions = 0;
  for (const Op& op : q->graph.ops) {
    const bool converts = q->graph.value(op.inputs[0]).dtype != q->graph.value(op.outputs[0]).dtype;
    conversions += op.type == "RequantizeLinear" && converts ? 1 : 0;
  }
  EXPECT_EQ(conversions, 2);
}

TEST(Quantize, NanInASampleIsNamed) {
  Builder b;
  const Graph g = residual(b);
  auto samples = b.samples(2);
  samples[1][0].as<float>()[3] = std::numeric_limits<float>::quiet_NaN();
  const auto q = quantize_espdl(g, samples, of(espdl::Target::c));
  ASSERT_FALSE(q.ok());
  EXPECT_EQ(q.error().code, ErrorCode::quant_not_finite);
  EXPECT_NE(q.error().message.find("sample 1"), std::string::npos);
}

TEST(Quantize, OverflowInsideTheNetworkIsNamed) {
  Builder b;
  const ValueId x = b.input("x", {1, 1, 2, 2});
  const ValueId y = b.op(OpKind::mul, "Mul", {x, b.constant("k", {}, {1e38F})}, {1, 1, 2, 2});
  const Graph g = b.finish({b.op(OpKind::mul, "Mul", {y, y}, {1, 1, 2, 2})});
  const auto q = quantize_espdl(g, b.samples(2, 100.0F), of(espdl::Target::c));
  ASSERT_FALSE(q.ok());
  EXPECT_EQ(q.error().code, ErrorCode::quant_not_finite);
  EXPECT_NE(q.error().place.layer.find("Mul"), std::string::npos);
}

TEST(Quantize, NothingToCalibrateWith) {
  Builder b;
  const Graph g = residual(b);
  EXPECT_EQ(quantize_espdl(g, {}, of(espdl::Target::c)).error().code, ErrorCode::quant_calibration);
}

TEST(Quantize, OneSampleAndZerosAreFindings) {
  Builder b;
  const Graph g = residual(b);
  const auto q = quantize_espdl(g, b.samples(1, 0.0F), of(espdl::Target::c));
  ASSERT_TRUE(q.ok()) << to_text(q.error());
  std::string all;
  for (const Finding& f : q->report.findings) all += f.message + "\n";
  EXPECT_NE(all.find("one sample only"), std::string::npos);
  EXPECT_NE(all.find("'x' was zero in every sample"), std::string::npos);
}

std::vector<float> outputs(const Graph& g, const Sample& sample) {
  exec::Options options;
  options.numerics = "onnx";
  auto session = exec::Session::create(std::make_shared<const Graph>(g), options);
  EXPECT_TRUE(session.ok() && session->set_input(0, sample[0].data).ok() && session->run().ok());
  const Tensor t = session->output(0);
  return {t.as<float>().begin(), t.as<float>().end()};
}

TEST(Equalize, KeepsWhatTheNetworkComputes) {
  Builder b;
  Graph g = residual(b);
  const auto samples = b.samples(1);
  const auto before = outputs(g, samples[0]);
  const size_t pairs = transform::equalize(g, 10);
  const auto after = outputs(g, samples[0]);
  EXPECT_EQ(pairs, 1U);
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i], 1e-4F);
}

TEST(BiasCorrection, TakesTheMeanErrorAway) {
  Builder b;
  const ValueId x = b.input("x", {1, 16, 4, 4});
  const Graph g = b.finish({b.conv(x, 8)});
  auto samples = b.samples(4);
  for (auto& s : samples) {
    for (float& v : s[0].as<float>()) v = std::fabs(v);
  }
  Settings s = of(espdl::Target::c);
  const auto plain = quantize_espdl(g, samples, s);
  s.passes.correct_bias = true;
  const auto corrected = quantize_espdl(g, samples, s);
  ASSERT_TRUE(plain.ok() && corrected.ok());
  EXPECT_LT(compare_outputs(*corrected, samples, s)->output_noise,
            compare_outputs(*plain, samples, s)->output_noise);
}

TEST(Search, GoesFromNoneToAll) {
  Builder b;
  const Graph g = residual(b);
  const auto samples = b.samples(3);
  const Settings s = of(espdl::Target::esp32p4);
  const auto r = search(g, samples, s, {});
  ASSERT_TRUE(r.ok()) << to_text(r.error());
  ASSERT_GE(r->path.size(), 3U);
  EXPECT_EQ(r->path.front().wide, 0U);
  EXPECT_EQ(r->path.back().wide, 3U);  // the addition too
  EXPECT_LT(r->path.front().constant_bytes, r->path.back().constant_bytes);
  EXPECT_EQ(r->path.back().wide_macs, 1.0);
  SearchLimits tight;
  tight.most_bytes = r->path.front().constant_bytes;
  EXPECT_TRUE(search(g, samples, s, tight)->bits_of.empty());
  tight.most_bytes = 1;
  EXPECT_EQ(search(g, samples, s, tight).error().code, ErrorCode::quant_setting);
}

Graph curved(Builder& b) {
  const ValueId x = b.conv(b.input("x", {1, 4, 6, 5}), 7);
  const ValueId y = b.op(OpKind::swish, "Swish", {x}, b.graph.value(x).shape);
  return b.finish({b.conv(y, 4)});
}

// B4 of the journeys: a layer of 16 bits before an activation of 8 gains nothing.
TEST(Search, WidensActivationsAndLooksThemUp) {
  Builder b;
  const Graph g = curved(b);
  const auto samples = b.samples(3);
  Settings s = of(espdl::Target::esp32p4);
  s.lut.step = 32;
  SearchLimits wish;
  wish.wanted_decibels = 45.0;
  const auto r = search(g, samples, s, wish);
  ASSERT_TRUE(r.ok()) << to_text(r.error());
  EXPECT_TRUE(r->reached);
  EXPECT_EQ(missing_text(*r, wish), "");
  EXPECT_EQ(r->bits_of.at("Swish2"), 16);
  EXPECT_EQ(r->lut.to_lut, std::vector<std::string>{"Swish"});
}

TEST(Search, SaysWhatIsMissing) {
  Builder b;
  const Graph g = curved(b);
  const auto samples = b.samples(3);
  const Settings s = of(espdl::Target::esp32s3);
  SearchLimits wish;
  wish.wanted_decibels = 190.0;
  const auto r = search(g, samples, s, wish);
  ASSERT_TRUE(r.ok()) << to_text(r.error());
  EXPECT_FALSE(r->reached);
  EXPECT_NE(missing_text(*r, wish).find("of 190.0 dB"), std::string::npos);
  wish.most_bytes = r->path.front().constant_bytes;
  const auto tight = search(g, samples, s, wish);
  ASSERT_TRUE(tight.ok());
  EXPECT_NE(missing_text(*tight, wish).find(" bytes, "), std::string::npos);
}

// B3: the runtime computes nothing for a Resize of 16 bits, and DCR wrongly.
TEST(Quantize, WritesWhatTheRuntimeComputes) {
  Builder b;
  const ValueId x = b.conv(b.input("x", {1, 4, 3, 2}), 12);
  BlockAttrs blocks;
  blocks.block_size = 2;
  const ValueId y = b.op(OpKind::depth_to_space, "DepthToSpace", {x}, {1, 3, 6, 4}, blocks);
  ScaleAttrs nearest;
  nearest.scales = {1.0F, 1.0F, 2.0F, 2.0F};
  const Graph g = b.finish({b.op(OpKind::resize, "Resize", {y}, {1, 3, 12, 8}, nearest)});
  const auto samples = b.samples(3);
  Settings s = of(espdl::Target::esp32s3, 16);
  const auto q = quantize_espdl(g, samples, s);
  ASSERT_TRUE(q.ok()) << to_text(q.error());
  ASSERT_EQ(q->report.findings.size(), 2U);
  EXPECT_TRUE(std::ranges::any_of(q->report.findings, [](const Finding& f) {
    return f.severity == Severity::warning && f.message.starts_with("stays at 8 bits");
  }));
  for (const Op& op : q->graph.ops) {
    if (op.kind == OpKind::resize) {
      EXPECT_EQ(q->graph.value(op.inputs[0]).dtype, DType::int8);
    }
    if (op.kind == OpKind::depth_to_space) {
      EXPECT_EQ(op.as<BlockAttrs>().order, BlockAttrs::Order::channel_first);
    }
  }
  s.bits_of["Resize3"] = 16;
  EXPECT_EQ(quantize_espdl(g, samples, s).error().code, ErrorCode::quant_setting);
}

}  // namespace
}  // namespace edgetwin::quantize
