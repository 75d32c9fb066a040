#include <cmath>
#include <limits>

#include "targets/edgetpu/params/single_layer.h"
#include "targets/edgetpu/params/tensor_numbers.h"
#include "targets/edgetpu/recordings/models.h"

namespace edgetwin::edgetpu::silicon {
namespace {

Error not_single(const std::string& why) {
  return Error(ErrorCode::op_unsupported, "the network is only in the chip's instructions: " + why)
      .with_hint("Put the model that it was compiled from beside it.");
}

// The weight scale that makes (input * weight) * (1 / output) exactly the multiplier: the plain
// quotient, or one of its neighbours.
std::optional<float> weight_scale(float multiplier, float input, float output) {
  const float unit = 1.0F / output;
  const float start = multiplier / (input * unit);
  float up = start, down = start;
  for (int i = 0; i < 64; ++i) {
    for (const float s : {up, down}) {
      if ((input * s) * unit == multiplier) return s;
    }
    up = std::nextafter(up, std::numeric_limits<float>::infinity());
    down = std::nextafter(down, 0.0F);
  }
  return std::nullopt;
}

struct Layer {
  const darwinn::Layer& in;
  const darwinn::Layer& out;
  const ReferenceLayer& numbers;
};

// Rows or columns that a kernel without padding gives.
bool valid_window(const Layer& l) {
  return l.out.y_dim == l.in.y_dim - l.numbers.shape.kernel_h + 1 &&
         l.out.x_dim == l.in.x_dim - l.numbers.shape.kernel_w + 1;
}

Result<Op> operator_of(const Layer& l) {
  Op op;
  const bool window = l.numbers.weight_shape.rank() == 4;
  op.kind = window ? OpKind::conv_2d : OpKind::fully_connected;
  if (!window) {
    op.attrs = FullyConnectedAttrs{};
    return op;
  }
  Conv2DAttrs attrs;
  attrs.stride_h = attrs.stride_w = 1;
  attrs.padding.kind = valid_window(l) ? Padding::Kind::valid : Padding::Kind::same;
  if (!valid_window(l) && (l.out.y_dim != l.in.y_dim || l.out.x_dim != l.in.x_dim)) {
    return not_single("the strides of its one convolution are not known");
  }
  op.attrs = attrs;
  return op;
}

Value value_of(const darwinn::Layer& layer, bool window) {
  Value v;
  v.name = layer.name;
  v.dtype = DType::uint8;
  v.shape = window ? Shape{1, layer.y_dim, layer.x_dim, layer.z_dim} : Shape{1, layer.elements()};
  v.quant = Quant::affine(layer.numerics->factor, layer.numerics->zero_point);
  return v;
}

Value constant(std::string name, DType type, Shape shape, Quant quant, Bytes data) {
  Value v;
  v.name = std::move(name);
  v.dtype = type;
  v.shape = shape;
  v.quant = std::move(quant);
  v.constant = std::make_shared<const Bytes>(std::move(data));
  return v;
}

}  // namespace

Result<GraphPtr> single_layer(const darwinn::File& file) {
  const Located located = locate_alone(file);
  if (located.layers.size() != 1)
    return not_single("it has several layers, or one of another kind");
  const ReferenceLayer& numbers = located.layers[0];
  if (numbers.shape.ordered()) return not_single("the order of its weights is not known");
  const BlobId& id = located.blobs.at(0).id;
  const darwinn::Executable& e = *file.ops[id.op].packages[id.package].inference();
  const TensorNumbers instruction = weighted_tensors(e).at(0).numbers;
  const BlockContent& content = numbers.content;
  if (instruction.has_scales || content.zero_points.size() > 1) {
    return not_single("its one layer has numbers for each channel");
  }
  const Layer layer{e.inputs[0], e.outputs[0], numbers};
  const auto scale = weight_scale(instruction.multiplier, e.inputs[0].numerics->factor,
                                  e.outputs[0].numerics->factor);
  if (!scale) return not_single("no scale of its weights gives its multiplier");
  EDGETWIN_TRY_ASSIGN(Op op, operator_of(layer));
  auto graph = std::make_shared<Graph>();
  const bool window = op.kind == OpKind::conv_2d;
  graph->values = {value_of(layer.in, window),
                   constant("weights", DType::uint8, numbers.weight_shape,
                            Quant::affine(*scale, instruction.weight_zero_point), content.weights),
                   value_of(layer.out, window)};
  op.inputs = {0, 1};
  op.outputs = {2};
  if (!content.bias.empty()) {
    const auto* from = reinterpret_cast<const std::byte*>(content.bias.data());
    const Bytes bytes(from, from + content.bias.size() * sizeof(int32_t));
    graph->values.push_back(
        constant("bias", DType::int32, {static_cast<int64_t>(content.bias.size())},
                 Quant::affine(e.inputs[0].numerics->factor * *scale, 0), bytes));
    op.inputs.push_back(3);
  }
  graph->ops.push_back(std::move(op));
  graph->inputs = {0};
  graph->outputs = {2};
  EDGETWIN_TRY(verify_graph(*graph));
  return GraphPtr(std::move(graph));
}

}  // namespace edgetwin::edgetpu::silicon
