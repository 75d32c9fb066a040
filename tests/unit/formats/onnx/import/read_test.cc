// Networks from bytes to graphs: what is folded, recognised, resolved, refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <cmath>
#include <limits>

#include "exec/session.h"
#include "formats/onnx/import/onnx.h"
#include "formats/onnx/onnx_writer.h"

namespace edgetwin::onnx {
namespace {

Model read_ok(const Network& n, const ReadOptions& options = {}, int64_t opset = 13) {
  Result<Model> model = read(n.bytes(opset), "net.onnx", options);
  EXPECT_TRUE(model.ok()) << (model.ok() ? "" : to_text(model.error()));
  if (model.ok()) return std::move(*model);
  Model empty;
  empty.graphs.resize(1);
  return empty;
}

Error read_error(const Network& n, const ReadOptions& options = {}, int64_t opset = 13) {
  const Result<Model> model = read(n.bytes(opset), "net.onnx", options);
  EXPECT_FALSE(model.ok());
  return model.ok() ? Error() : model.error();
}

std::string types(const Model& m) {
  std::string text;
  for (const Op& op : m.main().ops) text += (text.empty() ? "" : " ") + op.type;
  return text;
}

// The outputs of the network for inputs filled with a small ramp.
std::vector<float> computed(const Model& m) {
  auto session =
      exec::Session::create(std::make_shared<const Graph>(m.main()), {.numerics = "onnx"});
  EXPECT_TRUE(session.ok()) << (session.ok() ? "" : to_text(session.error()));
  if (!session.ok()) return {};
  for (size_t i = 0; i < m.main().inputs.size(); ++i) {
    const Value& v = m.main().value(m.main().inputs[i]);
    std::vector<float> ramp;
    for (int64_t k = 0; k < v.shape.elements(); ++k) {
      ramp.push_back(static_cast<float>(k % 11) * 0.25F - 1.0F);
    }
    EXPECT_TRUE(session->set_input(i, std::as_bytes(std::span(ramp))).ok());
  }
  EXPECT_TRUE(session->run().ok());
  const Tensor out = session->output(0);
  return {out.as<float>().begin(), out.as<float>().end()};
}

Network conv_network() {
  Network n;
  std::vector<float> w;
  for (int i = 0; i < 3 * 2 * 9; ++i) w.push_back(static_cast<float>(i % 7) * 0.5F - 1.0F);
  n.input("x", {1, 2, 5, 4}).floats("w", {3, 2, 3, 3}, w).floats("b", {3}, {1.0F, 2.0F, 3.0F});
  return n;
}

TEST(OnnxRead, BatchNormGoesIntoTheConvolution) {
  Network n = conv_network();
  n.floats("gamma", {3}, {1.0F, 2.0F, -0.5F}).floats("beta", {3}, {0.5F, 0.0F, 1.0F});
  n.floats("mean", {3}, {0.25F, -1.0F, 2.0F}).floats("var", {3}, {1.0F, 4.0F, 0.25F});
  n.node("Conv", {"x", "w", "b"}, {"c"}, {integers_attribute("pads", {1, 0, 1, 2})}, "conv");
  n.node("BatchNormalization", {"c", "gamma", "beta", "mean", "var"}, {"y"}).output("y");
  const Model folded = read_ok(n);
  EXPECT_EQ(types(folded), "Conv");
  EXPECT_EQ(folded.main().value(folded.main().outputs[0]).name, "y");
  ReadOptions separate;
  separate.passes.fold_batch_norm = false;
  const Model apart = read_ok(n, separate);
  EXPECT_EQ(types(apart), "Conv Conv");
  const auto a = computed(folded);
  const auto b = computed(apart);
  ASSERT_EQ(a.size(), b.size());
  ASSERT_EQ(a.size(), 1U * 3 * 5 * 4);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4F) << i;
}

TEST(OnnxRead, BiasIsFolded) {
  Network n = conv_network();
  n.floats("more", {1, 3, 1, 1}, {10.0F, 20.0F, 30.0F});
  n.node("Conv", {"x", "w", "b"}, {"c"}).node("Add", {"c", "more"}, {"y"}).output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(types(m), "Conv");
  ReadOptions separate;
  separate.passes.fuse_bias = false;
  const Model apart = read_ok(n, separate);
  EXPECT_EQ(types(apart), "Conv Add");
  const auto a = computed(m);
  const auto b = computed(apart);
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-4F) << i;
}

TEST(OnnxRead, SwishNeedsASource) {
  Network n = conv_network();
  n.node("Conv", {"x", "w", "b"}, {"c"}, {}, "conv1").node("Sigmoid", {"c"}, {"s"});
  n.node("Mul", {"c", "s"}, {"y"}, {}, "mul3").output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(types(m), "Conv Swish");
  EXPECT_EQ(m.main().ops[1].name, "conv1/Swish");
  ReadOptions off;
  off.passes.fuse_swish = false;
  EXPECT_EQ(types(read_ok(n, off)), "Conv Sigmoid Mul");
  Network input;
  input.input("x", {1, 4}).node("Sigmoid", {"x"}, {"s"}).node("Mul", {"s", "x"}, {"y"}).output("y");
  EXPECT_EQ(types(read_ok(input)), "Sigmoid Mul");
  ReadOptions any;
  any.passes.swish_of_anything = true;
  EXPECT_EQ(types(read_ok(input, any)), "Swish");
}

TEST(OnnxRead, HardSwishInBothForms) {
  Network n;
  n.input("x", {1, 12}).floats("three", {}, {3.0F}).floats("zero", {}, {0.0F});
  n.floats("six", {}, {6.0F}).node("Add", {"x", "three"}, {"a"});
  n.node("Clip", {"a", "zero", "six"}, {"c"}).node("Mul", {"x", "c"}, {"m"});
  n.node("Div", {"m", "six"}, {"y"}).output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(types(m), "HardSwish");
  ReadOptions off;
  off.passes.fuse_hard_swish = false;
  const Model apart = read_ok(n, off);
  EXPECT_EQ(types(apart), "Add Clip Mul Div");
  EXPECT_EQ(computed(m), computed(apart));
  Network h;
  h.input("x", {1, 12});
  h.node("HardSigmoid", {"x"}, {"s"}, {real_attribute("alpha", 1.0F / 6.0F)});
  h.node("Mul", {"s", "x"}, {"y"}).output("y");
  EXPECT_EQ(types(read_ok(h)), "HardSwish");
}

TEST(OnnxRead, GeluByErf) {
  Network n;
  n.input("x", {1, 12}).floats("root", {}, {1.41421356F}).floats("one", {}, {1.0F});
  n.floats("half", {}, {0.5F}).node("Div", {"x", "root"}, {"d"}).node("Erf", {"d"}, {"e"});
  n.node("Add", {"e", "one"}, {"a"}).node("Mul", {"x", "a"}, {"m"});
  n.node("Mul", {"m", "half"}, {"y"}, {}, "gelu").output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(types(m), "Gelu");
  const auto y = computed(m);
  EXPECT_NEAR(y[0], -0.158655F, 1e-5F);  // x = -1
  EXPECT_NEAR(y[8], 0.841345F, 1e-5F);   // x = 1
}

TEST(OnnxRead, LayerNormFromItsParts) {
  Network n;
  n.input("x", {1, 3, 4}).floats("two", {}, {2.0F}).floats("eps", {}, {1e-5F});
  n.floats("g", {4}, {1.0F, 2.0F, 3.0F, 4.0F}).floats("b", {4}, {0.0F, 0.5F, 1.0F, 1.5F});
  const auto last = integers_attribute("axes", {-1});
  n.node("ReduceMean", {"x"}, {"m"}, {last}).node("Sub", {"x", "m"}, {"d"});
  n.node("Pow", {"d", "two"}, {"p"}).node("ReduceMean", {"p"}, {"v"}, {last});
  n.node("Add", {"v", "eps"}, {"e"}).node("Sqrt", {"e"}, {"s"}).node("Div", {"d", "s"}, {"q"});
  n.node("Mul", {"q", "g"}, {"h"}).node("Add", {"h", "b"}, {"y"}).output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(types(m), "LayerNormalization");
  ReadOptions off;
  off.passes.fuse_layer_norm = false;
  const auto a = computed(m);
  const auto b = computed(read_ok(n, off));
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5F) << i;
}

// x.reshape(x.shape[0], -1) as exporters write it.
TEST(OnnxRead, ShapesAreComputedWhileReading) {
  Network n;
  n.input("x", {-1, 2, 3, 4}).integers("zero", {0}).integers("rest", {-1});
  n.node("Shape", {"x"}, {"s"});
  n.node("Gather", {"s", "zero"}, {"batch"}, {integer_attribute("axis", 0)});
  n.node("Concat", {"batch", "rest"}, {"wanted"}, {integer_attribute("axis", 0)});
  n.node("Reshape", {"x", "wanted"}, {"y"}).output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(types(m), "Reshape");
  EXPECT_EQ(to_string(m.main().value(m.main().outputs[0]).shape), "1x24");
  ASSERT_EQ(m.findings.size(), 1U) << "the number of pictures was open";
}

TEST(OnnxRead, OpenShapesAreAskedFor) {
  Network n;
  n.input("x", {1, 3, -1, -1}).node("Relu", {"x"}, {"y"}).output("y");
  const Error e = read_error(n);
  EXPECT_EQ(e.code, ErrorCode::onnx_shape);
  EXPECT_EQ(e.hint, "Give it: --shape x=1,3,<N>,<N>");
  ReadOptions given;
  given.shapes["x"] = {1, 3, 8, 9};
  EXPECT_EQ(to_string(read_ok(n, given).main().values[0].shape), "1x3x8x9");
  given.shapes["x"] = {1, 4, 8, 9};
  EXPECT_EQ(read_error(n, given).code, ErrorCode::onnx_shape) << "contradicts the file";
  given.shapes.clear();
  given.shapes["z"] = {1};
  EXPECT_EQ(read_error(n, given).code, ErrorCode::onnx_shape) << "no such input";
}

TEST(OnnxRead, UnknownOperatorsAreListedTogether) {
  Network n;
  n.input("x", {1, 4}).node("Fancy", {"x"}, {"a"}, {}, "first");
  n.node("Relu", {"a"}, {"b"}).node("Erf", {"b"}, {"c"}, {}, "second");
  n.node("Relu", {"c"}, {"y"}, {}, "third", "my.domain").output("y");
  const Error e = read_error(n);
  EXPECT_EQ(e.code, ErrorCode::onnx_operator);
  ASSERT_EQ(e.details.size(), 3U);
  EXPECT_EQ(e.details[0], "#0 Fancy 'first'");
  EXPECT_EQ(e.details[1], "#2 Erf 'second'");
  EXPECT_EQ(e.details[2], "#3 Relu 'third' of the domain my.domain");
}

TEST(OnnxRead, WeightsThatAreNotFinite) {
  Network n;
  n.input("x", {1, 2}).floats("w", {2, 2}, {1.0F, std::nanf(""), 2.0F, 3.0F});
  n.node("MatMul", {"x", "w"}, {"y"}, {}, "product").output("y");
  const Model m = read_ok(n);
  ASSERT_EQ(m.findings.size(), 1U);
  EXPECT_EQ(m.findings[0].severity, Severity::error);
  EXPECT_EQ(m.findings[0].place, "MatMul 'product'");
}

TEST(OnnxRead, GemmFoldsItsFactors) {
  Network n;
  n.input("x", {1, 3}).floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}).floats("c", {2}, {10, 20});
  n.node("Gemm", {"x", "w", "c"}, {"y"},
         {real_attribute("alpha", 2.0F), real_attribute("beta", 0.5F)});
  n.output("y");
  // x is -1, -0.75, -0.5
  EXPECT_EQ(computed(read_ok(n)),
            (std::vector<float>{2 * (-1.0F - 2.25F - 2.5F) + 5, 2 * (-2.0F - 3.0F - 3.0F) + 10}));
}

// Against the sum that defines a transposed convolution.
TEST(OnnxRead, ConvTransposeIsZerosAndConvolution) {
  constexpr int kIn = 2, kOut = 3, kSize = 4, kKernel = 3;
  Network n;
  std::vector<float> w;
  for (int i = 0; i < kIn * kOut * kKernel; ++i) w.push_back(static_cast<float>(i % 5) - 1.5F);
  n.input("x", {1, kIn, kSize}).floats("w", {kIn, kOut, kKernel}, w);
  n.node("ConvTranspose", {"x", "w"}, {"y"},
         {integers_attribute("strides", {2}), integers_attribute("pads", {1, 0}),
          integers_attribute("output_padding", {1})});
  n.output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(types(m), "InsertZeros Conv");
  constexpr int kResult = 2 * (kSize - 1) + 1 + kKernel - 1;
  std::vector<float> wanted(kOut * kResult, 0.0F);
  for (int c = 0; c < kIn; ++c) {
    for (int i = 0; i < kSize; ++i) {
      const float x = static_cast<float>((c * kSize + i) % 11) * 0.25F - 1.0F;
      for (int o = 0; o < kOut; ++o) {
        for (int k = 0; k < kKernel; ++k) {
          const int at = 2 * i + k - 1;
          if (at < 0 || at >= kResult) continue;
          wanted[static_cast<size_t>(o * kResult + at)] +=
              x * w[static_cast<size_t>((c * kOut + o) * kKernel + k)];
        }
      }
    }
  }
  EXPECT_EQ(computed(m), wanted);
}

TEST(OnnxRead, ExternalData) {
  Network n;
  Message t;
  t.number(1, 2).number(2, 1).text(8, "w").number(14, 1);
  t.message(13, Message().text(1, "location").text(2, "weights.bin"));
  t.message(13, Message().text(1, "offset").text(2, "4"));
  n.input("x", {1, 2}).raw_initializer(t).node("Mul", {"x", "w"}, {"y"}).output("y");
  EXPECT_EQ(read_error(n).code, ErrorCode::onnx_external);
  ReadOptions options;
  options.external = [](const std::string& name) -> Result<Bytes> {
    EXPECT_EQ(name, "weights.bin");
    const float content[] = {9.0F, 2.0F, 4.0F};
    return to_bytes(std::as_bytes(std::span(content)));
  };
  EXPECT_EQ(computed(read_ok(n, options)), (std::vector<float>{-2.0F, -3.0F}));
  options.external = [](const std::string&) -> Result<Bytes> { return Bytes(6); };
  EXPECT_EQ(read_error(n, options).code, ErrorCode::onnx_tensor) << "too short";
}

// F12: external weights followed a link out of the model's folder.
TEST(OnnxRead, F12LinksLeadNowhereElse) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(::testing::TempDir()) / "edgetwin_onnx_links";
  fs::remove_all(root);
  fs::create_directories(root / "model/deep");
  fs::create_directories(root / "cache");
  for (const char* name : {"secret", "model/own", "model/deep/own", "cache/weights", "cache/net"})
    std::ofstream(root / name) << name;
  fs::create_symlink(root / "secret", root / "model/link");
  fs::create_symlink(root / "cache/weights", root / "model/cached");
  fs::create_symlink(root / "cache/net", root / "model/cached.onnx");
  const ExternalFiles plain = files_beside((root / "model/net.onnx").string());
  EXPECT_TRUE(plain("own").ok());
  EXPECT_TRUE(plain("deep/own").ok());
  EXPECT_EQ(plain("link").error().code, ErrorCode::onnx_external);
  EXPECT_EQ(plain("cached").error().code, ErrorCode::onnx_external);
  const ExternalFiles cached = files_beside((root / "model/cached.onnx").string());
  EXPECT_TRUE(cached("cached").ok())
      << "a download cache: model and weights are links to one folder";
  EXPECT_EQ(cached("link").error().code, ErrorCode::onnx_external);
  fs::remove_all(root);
}

TEST(OnnxRead, OldSoftmaxTakesAllAxesFromItsOwn) {
  Network n;
  n.input("x", {1, 2, 3}).node("Softmax", {"x"}, {"y"}).output("y");
  const Model old = read_ok(n, {}, 11);
  EXPECT_EQ(types(old), "Flatten Softmax Reshape");
  EXPECT_EQ(types(read_ok(n)), "Softmax");
  float sum = 0.0F;
  for (const float v : computed(old)) sum += v;
  EXPECT_NEAR(sum, 1.0F, 1e-5F);
}

TEST(OnnxRead, RefusesWhatItCannotMean) {
  Network cut;
  cut.input("x", {1, 2}).node("Relu", {"lost"}, {"y"}).output("y");
  EXPECT_EQ(read_error(cut).code, ErrorCode::onnx_reference);
  Network twice;
  twice.input("x", {1, 2}).node("Relu", {"x"}, {"y"}).node("Exp", {"x"}, {"y"}).output("y");
  EXPECT_EQ(read_error(twice).code, ErrorCode::graph_duplicate);
  Network none;
  none.input("x", {1, 2}).node("Relu", {"x"}, {"y"}).output("z");
  EXPECT_EQ(read_error(none).code, ErrorCode::onnx_reference);
  EXPECT_EQ(read_error(none, {}, 99).code, ErrorCode::onnx_opset);
  Network shapes = conv_network();
  shapes.input("z", {1, 5, 4, 4}).node("Conv", {"z", "w"}, {"y"}).output("y");
  EXPECT_EQ(read_error(shapes).code, ErrorCode::onnx_tensor);
  const Bytes junk = to_bytes(as_byte_span("\x08\x08\x3a\x7fgraph"));
  EXPECT_EQ(read(junk, "net.onnx").error().code, ErrorCode::onnx_protobuf);
}

TEST(OnnxRead, CeilModePadsAfterTheEnd) {
  Network n;
  n.input("x", {1, 1, 5, 4});
  n.node("MaxPool", {"x"}, {"y"},
         {integers_attribute("kernel_shape", {2, 3}), integers_attribute("strides", {2, 2}),
          integer_attribute("ceil_mode", 1)});
  n.output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(to_string(m.main().value(m.main().outputs[0]).shape), "1x1x3x2");
  // The ramp is k % 11 / 4 - 1; rows of 4.
  EXPECT_EQ(computed(m), (std::vector<float>{0.5F, 0.75F, 1.5F, 1.5F, 0.75F, 1.0F}));
}

TEST(OnnxRead, AveragesCountTheirPaddingOnlyIfAsked) {
  for (const int64_t counts : {0, 1}) {
    Network n;
    n.input("x", {1, 1, 1, 3});
    n.node("AveragePool", {"x"}, {"y"},
           {integers_attribute("kernel_shape", {1, 2}), integers_attribute("pads", {0, 1, 0, 0}),
            integer_attribute("count_include_pad", counts)});
    n.output("y");
    const float first = counts != 0 ? -0.5F : -1.0F;
    EXPECT_EQ(computed(read_ok(n)), (std::vector<float>{first, -0.875F, -0.625F}));
  }
}

TEST(OnnxRead, NearestResizeInEveryWay) {
  struct Case {
    const char *coordinates, *rule;
    std::vector<int> from;
  };
  const Case cases[] = {{"asymmetric", "floor", {0, 0, 1, 1, 2}},
                        {"asymmetric", "ceil", {0, 1, 2, 2, 2}},
                        {"half_pixel", "round_prefer_floor", {0, 0, 1, 2, 2}},
                        {"align_corners", "round_prefer_floor", {0, 0, 1, 1, 2}},
                        {"align_corners", "round_prefer_ceil", {0, 1, 1, 2, 2}}};
  for (const Case& c : cases) {
    Network n;
    n.input("x", {1, 1, 1, 3}).integers("sizes", {1, 1, 1, 5});
    n.node("Resize", {"x", "", "", "sizes"}, {"y"},
           {text_attribute("mode", "nearest"), text_attribute("nearest_mode", c.rule),
            text_attribute("coordinate_transformation_mode", c.coordinates)});
    n.output("y");
    std::vector<float> wanted;
    for (const int k : c.from) wanted.push_back(static_cast<float>(k) * 0.25F - 1.0F);
    EXPECT_EQ(computed(read_ok(n)), wanted) << c.coordinates << " " << c.rule;
  }
}

TEST(OnnxRead, DepthToSpaceInBothOrders) {
  for (const bool crd : {false, true}) {
    Network n;
    n.input("x", {1, 8, 1, 1});
    n.node("DepthToSpace", {"x"}, {"y"},
           {integer_attribute("blocksize", 2), text_attribute("mode", crd ? "CRD" : "DCR")});
    n.output("y");
    std::vector<float> wanted;
    for (const int k :
         crd ? std::vector{0, 1, 2, 3, 4, 5, 6, 7} : std::vector{0, 2, 4, 6, 1, 3, 5, 7}) {
      wanted.push_back(static_cast<float>(k) * 0.25F - 1.0F);
    }
    EXPECT_EQ(computed(read_ok(n)), wanted) << crd;
  }
}

float sigmoid(float x) { return 1.0F / (1.0F + std::exp(-x)); }

// One unit, two steps forward and back: x is -1, then -0.75.
TEST(OnnxRead, LstmByItsEquations) {
  const float w[] = {0.5F, -1.0F, 0.25F, 2.0F};  // i, o, f, c
  const float r[] = {1.0F, 0.5F, -0.5F, 0.75F};
  const float b[] = {0.1F, 0.2F, 0.3F, 0.4F};
  for (const bool reverse : {false, true}) {
    Network n;
    n.input("x", {2, 1, 1}).floats("w", {1, 4, 1}, {w, w + 4}).floats("r", {1, 4, 1}, {r, r + 4});
    n.floats("b", {1, 8}, {b[0], b[1], b[2], b[3], 0.0F, 0.0F, 0.0F, 0.0F});
    n.node("LSTM", {"x", "w", "r", "b"}, {"y"},
           {integer_attribute("hidden_size", 1),
            text_attribute("direction", reverse ? "reverse" : "forward")});
    n.output("y");
    float h = 0.0F;
    float c = 0.0F;
    std::vector<float> wanted(2);
    for (int s = 0; s < 2; ++s) {
      const int t = reverse ? 1 - s : s;
      const float x = t == 0 ? -1.0F : -0.75F;
      const auto gate = [&](int k) { return w[k] * x + r[k] * h + b[k]; };
      const float next = sigmoid(gate(2)) * c + sigmoid(gate(0)) * std::tanh(gate(3));
      h = sigmoid(gate(1)) * std::tanh(next);
      c = next;
      wanted[static_cast<size_t>(t)] = h;
    }
    const auto y = computed(read_ok(n));
    ASSERT_EQ(y.size(), 2U);
    for (size_t i = 0; i < 2; ++i) EXPECT_NEAR(y[i], wanted[i], 1e-6F) << reverse << i;
  }
}

TEST(OnnxRead, GruByItsEquations) {
  const float w[] = {0.5F, -1.0F, 0.25F};  // z, r, h
  const float r[] = {1.0F, 0.5F, -0.5F};
  for (const int64_t linear : {0, 1}) {
    Network n;
    n.input("x", {2, 1, 1}).floats("w", {1, 3, 1}, {w, w + 3}).floats("r", {1, 3, 1}, {r, r + 3});
    n.floats("b", {1, 6}, {0.0F, 0.0F, 0.0F, 0.0F, 0.0F, 0.5F});
    n.node("GRU", {"x", "w", "r", "b"}, {"", "y"},
           {integer_attribute("hidden_size", 1), integer_attribute("linear_before_reset", linear)});
    n.output("y");
    float h = 0.0F;
    for (const float x : {-1.0F, -0.75F}) {
      const float z = sigmoid(w[0] * x + r[0] * h);
      const float reset = sigmoid(w[1] * x + r[1] * h);
      const float state = linear != 0 ? reset * (r[2] * h + 0.5F) : r[2] * (reset * h) + 0.5F;
      h = (1.0F - z) * std::tanh(w[2] * x + state) + z * h;
    }
    const auto y = computed(read_ok(n));
    ASSERT_EQ(y.size(), 1U);
    EXPECT_NEAR(y[0], h, 1e-6F) << linear;
  }
}

TEST(OnnxRead, AbsIsTheLargerOfBoth) {
  Network n;
  n.input("x", {1, 6}).node("Abs", {"x"}, {"y"}).output("y");
  EXPECT_EQ(computed(read_ok(n)), (std::vector<float>{1.0F, 0.75F, 0.5F, 0.25F, 0.0F, 0.25F}));
}

TEST(OnnxRead, TapsOfAPoolMayBeApart) {
  // Rows of 0 to 10 times 0.25 - 1, so that the largest tap is the last one where no ramp ends.
  Network n;
  n.input("x", {1, 1, 9});
  n.node("MaxPool", {"x"}, {"y"},
         {integers_attribute("kernel_shape", {3}), integers_attribute("dilations", {2}),
          integers_attribute("strides", {2})});
  n.output("y");
  EXPECT_EQ(computed(read_ok(n)), (std::vector<float>{0.0F, 0.5F, 1.0F}));
  Network a;
  a.input("x", {1, 1, 3, 5});
  a.node("AveragePool", {"x"}, {"y"},
         {integers_attribute("kernel_shape", {2, 2}), integers_attribute("dilations", {2, 3})});
  a.output("y");
  // 0, 3, 10, 13 % 11 = 2, and one further: 1, 4, 0, 3.
  EXPECT_EQ(computed(read_ok(a, {}, 19)), (std::vector<float>{-0.0625F, -0.5F}));
  Network padded;
  padded.input("x", {1, 1, 9});
  padded.node("MaxPool", {"x"}, {"y"},
              {integers_attribute("kernel_shape", {3}), integers_attribute("dilations", {2}),
               integers_attribute("pads", {1, 1})});
  padded.output("y");
  EXPECT_NE(read_error(padded).message.find("dilations"), std::string::npos);
}

TEST(OnnxRead, GeluByTanhIsWrittenOutOnRequest) {
  Network n;
  n.input("x", {1, 11}).node("Gelu", {"x"}, {"y"}, {text_attribute("approximate", "tanh")});
  n.output("y");
  EXPECT_EQ(types(read_ok(n, {}, 20)), "Gelu");
  ReadOptions options;
  options.passes.fuse_gelu = false;
  options.passes.write_out_tanh_gelu = true;
  const auto y = computed(read_ok(n, options, 20));
  ASSERT_EQ(y.size(), 11U);
  for (size_t i = 0; i < y.size(); ++i) {
    const double x = static_cast<double>(i) * 0.25 - 1.0;
    const double wanted =
        0.5 * x * (1.0 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    EXPECT_NEAR(static_cast<double>(y[i]), wanted, 1e-6);
  }
}

TEST(OnnxRead, CubicResizeIsRefused) {
  Network n;
  n.input("x", {1, 1, 4, 4}).floats("scales", {4}, {1.0F, 1.0F, 2.0F, 2.0F});
  n.node("Resize", {"x", "", "scales"}, {"y"}, {text_attribute("mode", "cubic")}).output("y");
  EXPECT_NE(read_error(n).message.find("cubic"), std::string::npos);
}

TEST(OnnxRead, ExponentsMayBeIntegers) {
  Network n;
  n.input("x", {1, 3}).integers("two", {2}).node("Pow", {"x", "two"}, {"y"}).output("y");
  EXPECT_EQ(computed(read_ok(n)), (std::vector<float>{1.0F, 0.5625F, 0.25F}));
}

TEST(OnnxRead, OutputsMayBeInputs) {
  Network n;
  n.input("x", {1, 2}).node("Identity", {"x"}, {"y"}).output("y");
  const Model m = read_ok(n);
  EXPECT_EQ(types(m), "Identity");
  EXPECT_EQ(m.main().value(m.main().outputs[0]).name, "y");
}

TEST(ParseShape, SizesOfAtLeastOne) {
  const auto shape = parse_shape("a=b=1,3,224");
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->first, "a=b");
  EXPECT_EQ(shape->second, (std::vector<int64_t>{1, 3, 224}));
  for (const char* bad : {"x", "x=", "=1", "x=0", "x=1,-2", "x=1,", "x=,1", "x=1.5", "x=1 2"}) {
    const auto refused = parse_shape(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().code, ErrorCode::usage) << bad;
  }
  ReadOptions options;
  ASSERT_TRUE(add_shapes(options, {"x=1,2", "y=3", "x=4"}).ok());
  EXPECT_EQ(options.shapes["x"], (std::vector<int64_t>{4}));
  EXPECT_EQ(options.shapes.size(), 2U);
}

}  // namespace
}  // namespace edgetwin::onnx
