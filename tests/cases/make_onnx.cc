#include "make_onnx.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/rng.h"
#include "formats/onnx/import/onnx.h"
#include "formats/tflite/tflite.h"
#include "quantize/tflite/quantize.h"
#include "tensor/npy.h"
#include "transform/tflite_form/form.h"
#include "unit/formats/onnx/onnx_writer.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

// From -scale to scale, like noise.
std::vector<float> noise(XorShift32& random, size_t count, float scale) {
  std::vector<float> values(count);
  for (float& v : values) {
    v = static_cast<float>(static_cast<int>(random.next() % 2001) - 1000) / 1000.0F * scale;
  }
  return values;
}

// A convolution with Relu, one with Swish, the mean of the picture, a linear layer.
onnx::Network network() {
  XorShift32 random(7);
  onnx::Network n;
  n.input("picture", {1, 3, 8, 8});
  n.floats("w1", {8, 3, 3, 3}, noise(random, 216, 0.4F));
  n.floats("b1", {8}, noise(random, 8, 0.2F));
  n.floats("w2", {8, 8, 1, 1}, noise(random, 64, 0.5F));
  n.floats("w3", {4, 8}, noise(random, 32, 0.6F)).floats("b3", {4}, noise(random, 4, 0.1F));
  const auto pads = onnx::integers_attribute("pads", {1, 1, 1, 1});
  n.node("Conv", {"picture", "w1", "b1"}, {"c1"}, {pads}, "conv1");
  n.node("Relu", {"c1"}, {"r1"}, {}, "relu1");
  n.node("Conv", {"r1", "w2"}, {"c2"}, {}, "conv2");
  n.node("Sigmoid", {"c2"}, {"s2"}, {}, "sigmoid2").node("Mul", {"c2", "s2"}, {"m2"}, {}, "mul2");
  n.node("GlobalAveragePool", {"m2"}, {"g"}, {}, "pool3");
  n.node("Flatten", {"g"}, {"f"}, {}, "flatten4");
  const auto transposed = onnx::integer_attribute("transB", 1);
  n.node("Gemm", {"f", "w3", "b3"}, {"classes"}, {transposed}, "gemm5").output("classes");
  return n;
}

onnx::Network unknown() {
  onnx::Network n;
  n.input("x", {1, 4}).node("Frobnicate", {"x"}, {"y"}, {}, "first");
  n.node("Det", {"y"}, {"z"}, {}, "second").output("z");
  return n;
}

// ReduceL2, which has no gradient in training.
onnx::Network no_gradient() {
  std::vector<float> ramp(24);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<float>(i % 7) * 0.25F - 0.75F;
  onnx::Network n;
  n.input("x", {1, 4}).floats("w", {6, 4}, ramp).integers("pairs", {1, 2, 3});
  const auto transposed = onnx::integer_attribute("transB", 1);
  n.node("Gemm", {"x", "w"}, {"g"}, {transposed}, "gemm");
  n.node("Reshape", {"g", "pairs"}, {"p"}, {}, "pairs_of_three");
  n.node("ReduceL2", {"p"}, {"y"},
         {onnx::integers_attribute("axes", {2}), onnx::integer_attribute("keepdims", 0)}, "length");
  n.output("y");
  return n;
}

onnx::Network not_a_number() {
  onnx::Network n;
  n.input("x", {1, 2});
  n.floats("w", {1, 2}, {1.0F, std::numeric_limits<float>::quiet_NaN()});
  const auto transposed = onnx::integer_attribute("transB", 1);
  n.node("Gemm", {"x", "w"}, {"y"}, {transposed}, "gemm").output("y");
  return n;
}

// A residual network as the MAX78000 and MAX78002 compute it.
onnx::Network residual() {
  XorShift32 random(13);
  onnx::Network n;
  n.input("picture", {1, 3, 8, 8});
  n.floats("w1", {8, 3, 3, 3}, noise(random, 216, 0.4F)).floats("b1", {8}, noise(random, 8, 0.2F));
  n.floats("w2", {8, 8, 3, 3}, noise(random, 576, 0.25F)).floats("b2", {8}, noise(random, 8, 0.2F));
  n.floats("w3", {4, 128}, noise(random, 512, 0.2F)).floats("b3", {4}, noise(random, 4, 0.1F));
  const auto pads = onnx::integers_attribute("pads", {1, 1, 1, 1});
  n.node("Conv", {"picture", "w1", "b1"}, {"c1"}, {pads}, "conv1");
  n.node("Relu", {"c1"}, {"r1"}, {}, "relu1");
  n.node("Conv", {"r1", "w2", "b2"}, {"c2"}, {pads}, "conv2");
  n.node("Add", {"c2", "r1"}, {"a"}, {}, "add").node("Relu", {"a"}, {"r2"}, {}, "relu2");
  n.node("MaxPool", {"r2"}, {"p"},
         {onnx::integers_attribute("kernel_shape", {2, 2}),
          onnx::integers_attribute("strides", {2, 2})},
         "pool");
  n.node("Flatten", {"p"}, {"f"}, {}, "flatten");
  n.node("Gemm", {"f", "w3", "b3"}, {"g"}, {onnx::integer_attribute("transB", 1)}, "gemm");
  n.node("Softmax", {"g"}, {"classes"}, {}, "softmax").output("classes");
  return n;
}

// Three operators that no layer of the MAX7800x computes.
onnx::Network misfits() {
  XorShift32 random(17);
  onnx::Network n;
  n.input("picture", {1, 3, 8, 8});
  n.floats("w1", {8, 3, 5, 5}, noise(random, 600, 0.4F));
  n.node("Conv", {"picture", "w1"}, {"c1"}, {onnx::integers_attribute("pads", {2, 2, 2, 2})},
         "conv1");
  n.node("Tanh", {"picture"}, {"t"}, {}, "tanh");
  n.node("Mul", {"t", "picture"}, {"m"}, {}, "mul").output("m").output("c1");
  return n;
}

// The first network as a float .tflite.
Bytes float_tflite() {
  const Model model = onnx::read(network().bytes(), "net.onnx").value();
  Model form;
  form.format = "tflite";
  form.graphs.push_back(transform::to_tflite_form(model.main()).value());
  return tflite::write(form).value();
}

bool put(const fs::path& file, const Bytes& bytes) {
  if (write_file(file, ByteSpan(bytes), Overwrite::yes).ok()) return true;
  std::fprintf(stderr, "%s cannot be written\n", file.c_str());
  return false;
}

Bytes calibration() {
  XorShift32 random(11);
  Tensor t = Tensor::zeros(DType::float32, {4, 3, 8, 8}).value();
  const std::vector<float> values = noise(random, 4 * 3 * 64, 1.0F);
  std::copy(values.begin(), values.end(), t.as<float>().begin());
  return write_npy(t).value();
}

// The same samples with channels last.
Bytes calibration_last() {
  const Tensor t = read_npy(calibration(), "samples").value();
  Tensor last = Tensor::zeros(DType::float32, {4, 8, 8, 3}).value();
  for (size_t i = 0; i < 4 * 3 * 64; ++i) {
    const size_t at = (i / 192 * 64 + i % 64) * 3 + i / 64 % 3;
    last.as<float>()[at] = t.as<float>()[i];
  }
  return write_npy(last).value();
}

}  // namespace

bool write_onnx_files(const fs::path& folder) {
  return put(folder / "net.onnx", network().bytes()) &&
         put(folder / "net_samples.npy", calibration()) &&
         put(folder / "net_samples_last.npy", calibration_last()) &&
         put(folder / "residual.onnx", residual().bytes()) &&
         put(folder / "misfits.onnx", misfits().bytes()) &&
         put(folder / "net_float.tflite", float_tflite()) &&
         put(folder / "no_gradient.onnx", no_gradient().bytes()) &&
         put(folder / "unknown.onnx", unknown().bytes()) &&
         put(folder / "not_a_number.onnx", not_a_number().bytes());
}

}  // namespace edgetwin
