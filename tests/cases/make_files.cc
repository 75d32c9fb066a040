// Writes the small files of files/ that the cases use. Not part of the tests: run it when a file
// is to be added, and commit what it wrote.
//   make_case_files DIR
#include <algorithm>
#include <bit>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "formats/tflite/tflite.h"
#include "image/image.h"
#include "make_decode.h"
#include "make_edgetpu.h"
#include "make_espdl.h"
#include "make_max78.h"
#include "make_onnx.h"
#include "tensor/npy.h"

namespace edgetwin {
namespace {

namespace fs = std::filesystem;

template <class T>
Tensor tensor(const std::string& name, const Shape& shape, const std::vector<T>& values) {
  Tensor t = Tensor::zeros(dtype_of<T>, shape).value();
  t.name = name;
  std::copy(values.begin(), values.end(), t.as<T>().begin());
  return t;
}

Value value(const std::string& name, DType type, const Shape& shape, const Quant& quant) {
  Value v;
  v.name = name;
  v.dtype = type;
  v.shape = shape;
  v.quant = quant;
  return v;
}

Model model_of(Graph graph) {
  Model model;
  model.format = "tflite";
  model.graphs.push_back(std::move(graph));
  return model;
}

// Two inputs, one operator.
Model add_model(float output_scale) {
  Graph g;
  g.values = {value("left", DType::int8, {1, 4}, Quant::affine(0.5F, 0)),
              value("right", DType::int8, {1, 4}, Quant::affine(0.5F, 0)),
              value("sum", DType::int8, {1, 4}, Quant::affine(output_scale, 0))};
  Op op;
  op.kind = OpKind::add;
  op.attrs = BinaryAttrs{};
  op.inputs = {0, 1};
  op.outputs = {2};
  g.ops = {op};
  g.inputs = {0, 1};
  g.outputs = {2};
  return model_of(std::move(g));
}

template <class T>
Value constant(const std::string& name, const Shape& shape, const std::vector<T>& values,
               const Quant& quant = {}) {
  Value v = value(name, dtype_of<T>, shape, quant);
  const auto bytes = std::as_bytes(std::span(values));
  v.constant = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  return v;
}

template <class A>
Op op_of(OpKind kind, A attrs, std::vector<ValueId> inputs, ValueId output) {
  Op op;
  op.kind = kind;
  op.attrs = std::move(attrs);
  op.inputs = std::move(inputs);
  op.outputs = {output};
  return op;
}

// What the end of a network that draws is made of, and a softmax of each position.
Model drawing_model() {
  const Quant quant = Quant::affine(0.1F, -128);
  std::vector<int8_t> weights(8 * 3 * 3 * 8);
  for (size_t k = 0; k < weights.size(); ++k) weights[k] = static_cast<int8_t>(k * 37 % 255);
  Graph g;
  g.values = {value("picture", DType::int8, {1, 6, 6, 8}, quant),
              constant<int32_t>("size", {4}, {1, 12, 12, 8}),
              constant<int8_t>("filter", {8, 3, 3, 8}, weights, Quant::affine(0.01F, 0)),
              value("twice", DType::int8, {1, 12, 12, 8}, quant),
              constant<int32_t>("nine", {2}, {9, 9}),
              value("nearest", DType::int8, {1, 9, 9, 8}, quant),
              value("greatest", DType::int8, {1, 5, 5, 8}, quant),
              value("shares", DType::int8, {1, 5, 5, 8}, Quant::affine(1.0F / 256, -128))};
  TransposeConvAttrs transposed;
  transposed.padding.kind = Padding::Kind::same;
  transposed.stride_h = transposed.stride_w = 2;
  PoolAttrs pool;
  pool.padding.kind = Padding::Kind::same;
  pool.filter_h = pool.filter_w = 5;
  pool.stride_h = pool.stride_w = 2;
  g.ops = {op_of(OpKind::transpose_conv, transposed, {1, 2, 0}, 3),
           op_of(OpKind::resize_nearest_neighbor, ResizeAttrs{}, {3, 4}, 5),
           op_of(OpKind::max_pool_2d, pool, {5}, 6),
           op_of(OpKind::softmax, SoftmaxAttrs{1.0F, -1}, {6}, 7)};
  g.inputs = {0};
  g.outputs = {7};
  return model_of(std::move(g));
}

// A float input that becomes integers.
Model quantize_model() {
  Graph g;
  g.values = {value("real", DType::float32, {1, 3}, {}),
              value("integers", DType::int8, {1, 3}, Quant::affine(0.25F, -1))};
  Op op;
  op.kind = OpKind::quantize;
  op.inputs = {0};
  op.outputs = {1};
  g.ops = {op};
  g.inputs = {0};
  g.outputs = {1};
  return model_of(std::move(g));
}

Model opaque_model(const std::string& name) {
  Graph g;
  g.values = {value("before", DType::int8, {1, 4}, Quant::affine(0.5F, 0)),
              value("after", DType::int8, {1, 4}, Quant::affine(0.5F, 0))};
  Op op;
  op.kind = OpKind::opaque;
  OpaqueAttrs attrs;
  attrs.name = name;
  attrs.builtin_code = 32;
  op.attrs = attrs;
  op.inputs = {0};
  op.outputs = {1};
  g.ops = {op};
  g.inputs = {0};
  g.outputs = {1};
  return model_of(std::move(g));
}

Tensor picture(int64_t channels) {
  Tensor t = Tensor::zeros(DType::uint8, {6, 8, channels}).value();
  for (size_t i = 0; i < t.data.size(); ++i) t.as<uint8_t>()[i] = static_cast<uint8_t>(i * 5);
  return t;
}

class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) {}
  void put(const std::string& name, const Result<Bytes>& bytes) {
    const Status status =
        bytes.ok() ? write_file(path_ / name, *bytes, Overwrite::yes) : Status(bytes.error());
    if (status.ok()) return;
    std::fputs(to_text(status.error()).c_str(), stderr);
    failed = true;
  }
  bool failed = false;

 private:
  fs::path path_;
};

bool write_all(const fs::path& path) {
  Folder folder(path);
  folder.put("add.tflite", tflite::write(add_model(0.5F)));
  folder.put("add_other_scale.tflite", tflite::write(add_model(0.25F)));
  folder.put("decode_movenet.tflite", tflite::write(movenet_model()));
  folder.put("decode_pixels.tflite", tflite::write(pixels_model()));
  folder.put("decode_posenet.tflite", tflite::write(posenet_model()));
  folder.put("decode_ssd.tflite", tflite::write(ssd_model()));
  folder.put("drawing.tflite", tflite::write(drawing_model()));
  folder.put("found_boxes.tflite", tflite::write(found_boxes_model()));
  folder.put("found_people.tflite", tflite::write(found_people_model()));
  folder.put("found_classes.tflite", tflite::write(found_classes_model()));
  folder.put("quantize.tflite", tflite::write(quantize_model()));
  folder.put("unknown.tflite", tflite::write(opaque_model("HomeMadeOperator")));
  const auto left = tensor<int8_t>("left", {1, 4}, {1, 2, 3, 4});
  const auto right = tensor<int8_t>("right", {1, 4}, {10, 20, 30, 127});
  folder.put("left.npy", write_npy(left));
  folder.put("right.npy", write_npy(right));
  folder.put("pair.npz", write_npz({right, left}));
  folder.put("five.npy", write_npy(tensor<int8_t>("", {1, 5}, {1, 2, 3, 4, 5})));
  folder.put("int16.npy", write_npy(tensor<int16_t>("", {1, 4}, {1, 2, 3, 4})));
  folder.put("float4.npy", write_npy(tensor<float>("", {1, 4}, {0.5F, 1.0F, -0.26F, 1000.0F})));
  folder.put("float3.npy", write_npy(tensor<float>("", {1, 3}, {0.125F, -1.0F, 100.0F})));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  folder.put("nan.npy", write_npy(tensor<float>("", {1, 3}, {0.0F, nan, 1.0F})));
  const auto bits = [](uint32_t b) { return std::bit_cast<float>(b); };
  folder.put("zero.npy", write_npy(tensor<float>("", {1, 2}, {0.0F, 1.0F})));
  folder.put("minus_zero.npy", write_npy(tensor<float>("", {1, 2}, {-0.0F, 1.0F})));
  folder.put("nan_a.npy", write_npy(tensor<float>("", {1, 1}, {bits(0x7FC00000)})));
  folder.put("nan_b.npy", write_npy(tensor<float>("", {1, 1}, {bits(0x7FC00001)})));
  folder.put("large_a.npy", write_npy(tensor<int64_t>("", {1}, {int64_t{1} << 60})));
  folder.put("large_b.npy", write_npy(tensor<int64_t>("", {1}, {(int64_t{1} << 60) + 1})));
  folder.put("double_a.npy", write_npy(tensor<double>("", {1}, {1.0})));
  folder.put("double_b.npy", write_npy(tensor<double>("", {1}, {1.0 + 0x1p-50})));
  folder.put("compiled.tflite", tflite::write(opaque_model("edgetpu-custom-op")));
  folder.put("escape.tflite", tflite::write(opaque_model("red\033[31m\rword")));
  const auto limits = tensor<float>("limit", {3}, {1.0F, 0.5F, 0.3F});
  const auto shift = [](float last) { return tensor<float>("shift", {3}, {0.0F, -1.0F, last}); };
  folder.put("train_shift.npz", write_npz({limits, shift(-1.0F)}));
  folder.put("train_shift_wrong.npz", write_npz({limits, shift(-2.0F)}));
  folder.put("grey.png", encode_png(picture(1)));
  folder.put("color.png", encode_png(picture(3)));
  folder.put("zeros.png", encode_png(Tensor::zeros(DType::uint8, {6, 8, 1}).value()));
  return !folder.failed;
}

}  // namespace
}  // namespace edgetwin

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: make_case_files DIR\n", stderr);
    return 2;
  }
  const bool written = edgetwin::write_all(argv[1]) && edgetwin::write_espdl_files(argv[1]) &&
                       edgetwin::write_max78_files(argv[1]) &&
                       edgetwin::write_edgetpu_files(argv[1]) &&
                       edgetwin::write_onnx_files(argv[1]);
  return written ? 0 : 1;
}
