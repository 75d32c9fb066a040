// Float ONNX networks of the usual kinds: quantized, compiled for the Edge TPU, proven.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>

#include "base/file.h"
#include "edgetwin/compile.h"
#include "edgetwin/quantize.h"
#include "estimate/tiny/maker.h"
#include "test_folder.h"

namespace edgetwin {
namespace {

using estimates::Kernel;

class FloatNetwork : public estimates::TinyMaker {
 public:
  FloatNetwork(const std::string& name, int64_t side) : TinyMaker(name, {1, 3, side, side}, 5) {}

  std::string conv3(const std::string& from, int64_t outputs, int64_t stride = 1) {
    return conv(from, outputs, {3, 3, stride, 1, 1, 1, 1});
  }
  std::string conv1(const std::string& from, int64_t outputs) {
    return conv(from, outputs, {1, 1, 1, 0, 0, 0, 0});
  }
  std::string greatest(const std::string& from) {
    const auto in = shape_of(from);
    return node("MaxPool", {from}, {integers("kernel_shape", {2, 2}), integers("strides", {2, 2})},
                {in[0], in[1], in[2] / 2, in[3] / 2});
  }
  std::string twice(const std::string& from) {
    const auto in = shape_of(from);
    const float scales[] = {1, 1, 2, 2};
    auto data = std::make_shared<Bytes>(sizeof scales);
    std::memcpy(data->data(), scales, sizeof scales);
    const std::string name = "scales_" + from;
    document_.initializers.push_back({name, DType::float32, Shape({4}), std::move(data)});
    onnx::Attribute mode = text("mode", "nearest");
    return node(
        "Resize", {from, "", name},
        {mode, text("coordinate_transformation_mode", "asymmetric"), text("nearest_mode", "floor")},
        {in[0], in[1], 2 * in[2], 2 * in[3]});
  }
  // The greatest of 5 x 5 at every position.
  std::string greatest_around(const std::string& from) {
    return node("MaxPool", {from},
                {integers("kernel_shape", {5, 5}), integers("strides", {1, 1}),
                 integers("pads", {2, 2, 2, 2})},
                std::vector<int64_t>(shape_of(from)));
  }
  // Twice the size by weights of 2 x 2.
  std::string transposed(const std::string& from, int64_t outputs) {
    const auto in = shape_of(from);
    std::vector<float> weights(static_cast<size_t>(in[1] * outputs * 4));
    for (size_t k = 0; k < weights.size(); ++k) {
      // Each output has a scale of its own.
      const auto scale = static_cast<float>(1 + k / 4 % static_cast<size_t>(outputs) % 5) / 5.0F;
      weights[k] = scale * (static_cast<float>(k * 7 % 13) / 26.0F - 0.25F);
    }
    const auto bytes = std::as_bytes(std::span(weights));
    const std::string name = "turned_" + from;
    document_.initializers.push_back({name, DType::float32, Shape({in[1], outputs, 2, 2}),
                                      std::make_shared<Bytes>(bytes.begin(), bytes.end())});
    return node("ConvTranspose", {from, name},
                {integers("kernel_shape", {2, 2}), integers("strides", {2, 2})},
                {in[0], outputs, 2 * in[2], 2 * in[3]});
  }
  std::string join(const std::string& a, const std::string& b) {
    auto out = shape_of(a);
    out[1] += shape_of(b)[1];
    return node("Concat", {a, b}, {integer("axis", 1)}, out);
  }
  std::string sigmoid(const std::string& from) {
    return node("Sigmoid", {from}, {}, std::vector<int64_t>(shape_of(from)));
  }
  std::string product(const std::string& a, const std::string& b) {
    return node("Mul", {a, b}, {}, std::vector<int64_t>(shape_of(a)));
  }
  std::string inverted_residual(const std::string& from, int64_t outputs, int64_t stride) {
    const std::string wide = relu(conv1(from, 4 * shape_of(from)[1]));
    const int64_t channels = shape_of(wide)[1];
    const std::string deep = relu(conv(wide, channels, {3, 3, stride, 1, 1, 1, 1}, true));
    const std::string narrow = conv1(deep, outputs);
    return shape_of(narrow) == shape_of(from) ? add(from, narrow) : narrow;
  }
  int64_t side_of(const std::string& value) const { return shape_of(value)[2]; }

 private:
  static onnx::Attribute integers(const char* name, std::vector<int64_t> values) {
    onnx::Attribute a;
    a.name = name;
    a.kind = onnx::Attribute::Kind::integers;
    a.integers = std::move(values);
    return a;
  }
  static onnx::Attribute integer(const char* name, int64_t value) {
    onnx::Attribute a;
    a.name = name;
    a.kind = onnx::Attribute::Kind::integer;
    a.integer = value;
    return a;
  }
  static onnx::Attribute text(const char* name, const char* value) {
    onnx::Attribute a;
    a.name = name;
    a.kind = onnx::Attribute::Kind::text;
    a.text = value;
    return a;
  }
};

// All of it on the chip, in one program, with the twin's bytes.
void expect_on_chip(FloatNetwork&& net, const std::string& output) {
  auto made = std::move(net).finish(output, "");
  ASSERT_TRUE(made.ok()) << to_text(made.error());
  const TestFolder folder;
  const std::string network = (folder.path() / "net.onnx").string();
  const std::string samples = (folder.path() / "samples.npy").string();
  ASSERT_TRUE(write_file(network, made->onnx, Overwrite::no).ok());
  ASSERT_TRUE(write_file(samples, made->samples, Overwrite::no).ok());
  QuantizeOptions options;
  options.target = "edgetpu";
  options.calibrate = {samples};
  options.samples = 2;
  const auto quantized = quantize_network(network, options);
  ASSERT_TRUE(quantized.ok()) << to_text(quantized.error());
  EdgetpuCompileOptions compile;
  compile.inputs = 1;
  ASSERT_EQ(quantized->files.size(), 1u);
  const auto compiled = compile_edgetpu(quantized->files[0].bytes, "net.tflite", compile);
  ASSERT_TRUE(compiled.ok()) << to_text(compiled.error());
  for (const PlacedOperator& op : compiled->operators) {
    EXPECT_EQ(op.group, 0) << op.label << " " << op.rule << ": " << op.why;
  }
  EXPECT_TRUE(compiled->proven) << compiled->proof;
}

TEST(EdgetpuOnnxNetworks, ResNet) {
  FloatNetwork net("resnet", 32);
  std::string at = net.relu(net.conv3("input", 16, 2));
  for (const int64_t channels : {16, 32}) {
    const int64_t stride = channels == 16 ? 1 : 2;
    const std::string first = net.relu(net.conv3(at, channels, stride));
    const std::string second = net.conv3(first, channels);
    const std::string skip = channels == 16 ? at : net.conv(at, channels, {1, 1, 2, 0, 0, 0, 0});
    at = net.relu(net.add(second, skip));
  }
  const int64_t side = net.side_of(at);
  at = net.dense(net.flatten(net.average(at, side, side)), 10);
  expect_on_chip(std::move(net), net.softmax(at));
}

TEST(EdgetpuOnnxNetworks, MobileNetV2) {
  FloatNetwork net("mobilenet_v2", 32);
  std::string at = net.relu(net.conv3("input", 16, 2));
  at = net.inverted_residual(at, 16, 1);
  at = net.inverted_residual(at, 24, 2);
  at = net.inverted_residual(at, 24, 1);
  const int64_t side = net.side_of(at);
  at = net.dense(net.flatten(net.average(at, side, side)), 10);
  expect_on_chip(std::move(net), at);
}

TEST(EdgetpuOnnxNetworks, UNet) {
  FloatNetwork net("unet", 32);
  const std::string top = net.relu(net.conv3("input", 8));
  const std::string middle = net.relu(net.conv3(net.greatest(top), 16));
  const std::string bottom = net.relu(net.conv3(net.greatest(middle), 32));
  const std::string up = net.relu(net.conv3(net.join(net.twice(bottom), middle), 16));
  const std::string whole = net.relu(net.conv3(net.join(net.twice(up), top), 8));
  const std::string classes = net.conv1(whole, 3);
  expect_on_chip(std::move(net), classes);
}

TEST(EdgetpuOnnxNetworks, UNetOfTransposedConvolutions) {
  FloatNetwork net("unet_transposed", 32);
  const std::string top = net.relu(net.conv3("input", 16));
  const std::string middle = net.relu(net.conv3(net.greatest(top), 32));
  const std::string bottom = net.relu(net.conv3(net.greatest(middle), 64));
  const std::string up = net.relu(net.conv3(net.join(net.transposed(bottom, 32), middle), 32));
  const std::string whole = net.relu(net.conv3(net.join(net.transposed(up, 16), top), 16));
  expect_on_chip(std::move(net), net.sigmoid(net.conv1(whole, 1)));
}

// The pyramid of pools of detectors.
TEST(EdgetpuOnnxNetworks, PyramidOfPools) {
  FloatNetwork net("pyramid", 32);
  const std::string at = net.relu(net.conv1(net.conv3("input", 32, 4), 16));
  const std::string one = net.greatest_around(at), two = net.greatest_around(one);
  const std::string all = net.join(net.join(at, one), net.join(two, net.greatest_around(two)));
  expect_on_chip(std::move(net), net.relu(net.conv1(all, 32)));
}

// Swish as detectors have it, two maps, and outputs of 18 channels each.
TEST(EdgetpuOnnxNetworks, YoloHead) {
  FloatNetwork net("yolo", 32);
  const auto swish = [&net](const std::string& x) { return net.product(x, net.sigmoid(x)); };
  const std::string fine = swish(net.conv3("input", 16, 2));
  const std::string coarse = swish(net.conv3(fine, 32, 2));
  const std::string mixed = swish(net.conv1(net.join(net.twice(coarse), fine), 24));
  expect_on_chip(std::move(net), net.sigmoid(net.conv1(mixed, 18)));
}

}  // namespace
}  // namespace edgetwin
