#include "estimate/tiny/maker.h"

#include <cmath>
#include <cstring>

#include "formats/onnx/write/write.h"
#include "tensor/npy.h"

namespace edgetwin::estimates {
namespace {

constexpr int64_t kIrVersion = 8, kOpset = 13, kSamples = 16;

onnx::Attribute integers(const char* name, std::vector<int64_t> values) {
  onnx::Attribute a;
  a.name = name;
  a.kind = onnx::Attribute::Kind::integers;
  a.integers = std::move(values);
  return a;
}

onnx::Attribute integer(const char* name, int64_t value) {
  onnx::Attribute a;
  a.name = name;
  a.kind = onnx::Attribute::Kind::integer;
  a.integer = value;
  return a;
}

int64_t product(const std::vector<int64_t>& shape) {
  int64_t all = 1;
  for (const int64_t n : shape) all *= n;
  return all;
}

Shape shape_from(const std::vector<int64_t>& dims) {
  Shape shape;
  for (const int64_t n : dims) shape.push_back(n);
  return shape;
}

onnx::ValueInfo info_of(const std::string& name, const std::vector<int64_t>& shape) {
  onnx::ValueInfo v;
  v.name = name;
  v.dtype = DType::float32;
  v.has_shape = true;
  for (const int64_t n : shape) v.dims.push_back({n, ""});
  return v;
}

}  // namespace

TinyMaker::TinyMaker(std::string name, const std::vector<int64_t>& input, uint32_t seed)
    : name_(std::move(name)), random_(seed), input_(input) {
  document_.ir_version = kIrVersion;
  document_.opset = kOpset;
  document_.producer = "edgetwin";
  document_.graph_name = name_;
  document_.inputs.push_back(info_of("input", input));
  shapes_.emplace_back("input", input);
}

float TinyMaker::real() {
  return static_cast<float>(static_cast<int32_t>(random_.next())) / 2147483648.0F;
}

const std::vector<int64_t>& TinyMaker::shape_of(const std::string& value) const {
  for (const auto& [name, shape] : shapes_) {
    if (name == value) return shape;
  }
  return input_;
}

std::string TinyMaker::numbers(const std::string& name, const std::vector<int64_t>& shape,
                               float limit) {
  const int64_t n = product(shape);
  auto data = std::make_shared<Bytes>(static_cast<size_t>(n) * sizeof(float));
  for (int64_t i = 0; i < n; ++i) {
    const float v = limit * real();
    std::memcpy(data->data() + static_cast<size_t>(i) * sizeof(float), &v, sizeof(float));
  }
  document_.initializers.push_back({name, DType::float32, shape_from(shape), std::move(data)});
  parameters_ += n;
  return name;
}

std::string TinyMaker::node(const std::string& type, std::vector<std::string> inputs,
                            std::vector<onnx::Attribute> attributes, std::vector<int64_t> shape) {
  onnx::Node n;
  n.index = document_.nodes.size();
  n.op_type = type;
  n.name = type + "_" + std::to_string(n.index);
  n.inputs = std::move(inputs);
  n.outputs = {n.name + "_out"};
  n.attributes = std::move(attributes);
  shapes_.emplace_back(n.outputs.front(), std::move(shape));
  document_.nodes.push_back(n);
  return n.outputs.front();
}

std::string TinyMaker::conv(const std::string& from, int64_t outputs, const Kernel& k,
                            bool depthwise) {
  const std::vector<int64_t> in = shape_of(from);
  const int64_t group = depthwise ? in[1] : 1, channels = in[1] / group;
  const std::vector<int64_t> weights = {outputs, channels, k.h, k.w};
  // Keeps the variance of what follows near one.
  const float limit = std::sqrt(6.0F / static_cast<float>(channels * k.h * k.w));
  const std::string id = std::to_string(document_.nodes.size());
  const std::vector<int64_t> out = {in[0], outputs, (in[2] + k.top + k.bottom - k.h) / k.stride + 1,
                                    (in[3] + k.left + k.right - k.w) / k.stride + 1};
  macs_ += product(out) * channels * k.h * k.w;
  const std::string w = numbers("weight_" + id, weights, limit);
  const std::string b = numbers("bias_" + id, {outputs}, 0.1F);
  return node("Conv", {from, w, b},
              {integers("kernel_shape", {k.h, k.w}), integers("strides", {k.stride, k.stride}),
               integers("pads", {k.top, k.left, k.bottom, k.right}), integers("dilations", {1, 1}),
               integer("group", group)},
              out);
}

std::string TinyMaker::relu(const std::string& from) {
  return node("Relu", {from}, {}, std::vector<int64_t>(shape_of(from)));
}

std::string TinyMaker::add(const std::string& a, const std::string& b) {
  return node("Add", {a, b}, {}, std::vector<int64_t>(shape_of(a)));
}

std::string TinyMaker::average(const std::string& from, int64_t h, int64_t w) {
  const std::vector<int64_t> in = shape_of(from);
  return node("AveragePool", {from},
              {integers("kernel_shape", {h, w}), integers("strides", {h, w})},
              {in[0], in[1], in[2] / h, in[3] / w});
}

std::string TinyMaker::flatten(const std::string& from) {
  const std::vector<int64_t> in = shape_of(from);
  return node("Flatten", {from}, {integer("axis", 1)}, {in[0], product(in) / in[0]});
}

std::string TinyMaker::dense(const std::string& from, int64_t outputs) {
  const int64_t inputs = shape_of(from).back();
  const std::string id = std::to_string(document_.nodes.size());
  macs_ += inputs * outputs;
  const std::string w =
      numbers("weight_" + id, {outputs, inputs}, std::sqrt(6.0F / static_cast<float>(inputs)));
  const std::string b = numbers("bias_" + id, {outputs}, 0.1F);
  return node("Gemm", {from, w, b}, {integer("transB", 1)}, {1, outputs});
}

std::string TinyMaker::softmax(const std::string& from) {
  return node("Softmax", {from}, {integer("axis", 1)}, std::vector<int64_t>(shape_of(from)));
}

Result<TinyNetwork> TinyMaker::finish(const std::string& output, std::string text) && {
  document_.outputs.push_back(info_of(output, shape_of(output)));
  TinyNetwork made;
  made.name = name_;
  made.text = std::move(text);
  made.macs = macs_;
  made.parameters = parameters_;
  EDGETWIN_TRY_ASSIGN(made.onnx, onnx::write_document(document_));
  std::vector<int64_t> shape = input_;
  shape[0] = kSamples;
  EDGETWIN_TRY_ASSIGN(Tensor samples, Tensor::zeros(DType::float32, shape_from(shape)));
  for (float& v : samples.as<float>()) v = real();
  EDGETWIN_TRY_ASSIGN(made.samples, write_npy(samples));
  return made;
}

}  // namespace edgetwin::estimates
