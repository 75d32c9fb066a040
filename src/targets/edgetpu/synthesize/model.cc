#include "targets/edgetpu/synthesize/model.h"

#include <algorithm>
#include <utility>

#include "targets/edgetpu/params/reference.h"

namespace edgetwin::edgetpu {
namespace {

Error no_member(const std::string& why) {
  return Error(ErrorCode::synthesize_model, "no program is known for this model: " + why);
}

// Whether the operator only turns uint8 into int8 or back: same scale, zero point moved by 128.
bool only_flips_sign(const Graph& g, const Op& op) {
  if (op.kind != OpKind::quantize) return false;
  const Value& a = g.values[static_cast<size_t>(op.inputs[0])];
  const Value& b = g.values[static_cast<size_t>(op.outputs[0])];
  const bool bytes = (a.dtype == DType::uint8 && b.dtype == DType::int8) ||
                     (a.dtype == DType::int8 && b.dtype == DType::uint8);
  const int64_t moved = a.quant.zero_point_of(0) - b.quant.zero_point_of(0);
  return bytes && a.quant.scale_of(0) == b.quant.scale_of(0) &&
         moved == (a.dtype == DType::uint8 ? 128 : -128);
}

// As the chip counts.
int unsigned_zero_point(const Value& value) {
  return static_cast<int>(value.quant.zero_point_of(0)) + (value.dtype == DType::int8 ? 128 : 0);
}

// The operator with the weights; the others around it only flip signs.
Result<const Op*> layer_of(const Graph& graph) {
  const Op* layer = nullptr;
  for (const Op& op : graph.ops) {
    if (only_flips_sign(graph, op)) continue;
    if (layer != nullptr) return no_member("it has more than one layer");
    layer = &op;
  }
  if (layer == nullptr) return no_member("it has no layer");
  if (graph.inputs.size() != 1 || graph.outputs.size() != 1) {
    return no_member("it does not have one input and one output");
  }
  return layer;
}

Result<Member> dense_member(const Graph& g, const Op& op) {
  if (op.as<FullyConnectedAttrs>().activation != Activation::none) {
    return no_member("its layer has an activation");
  }
  const Shape& weights = g.values[static_cast<size_t>(op.inputs[1])].shape;
  if (weights.rank() != 2 || weights[0] != weights[1]) {
    return no_member("its weights are not as many outputs as inputs");
  }
  const Value& in = g.values[static_cast<size_t>(g.inputs[0])];
  if (in.dtype != DType::uint8 || in.shape.elements() != weights[1] ||
      g.values[static_cast<size_t>(g.outputs[0])].dtype != DType::uint8) {
    return no_member("a fully connected layer takes one vector of uint8 and gives one");
  }
  Member m;
  m.family = Family::dense;
  m.size = static_cast<int>(std::min<int64_t>(weights[1], 1 << 20));
  return m;
}

Result<Member> conv_member(const Graph& g, const Op& op) {
  const auto& a = op.as<Conv2DAttrs>();
  const Value& in = g.values[static_cast<size_t>(op.inputs[0])];
  const Shape& weights = g.values[static_cast<size_t>(op.inputs[1])].shape;
  if (a.activation != Activation::none) return no_member("its layer has an activation");
  if (a.stride_h != 1 || a.stride_w != 1 || a.dilation_h != 1 || a.dilation_w != 1 ||
      a.padding.kind != Padding::Kind::same) {
    return no_member("its convolution does not have stride 1 and same padding");
  }
  if (weights.rank() != 4 || weights[1] != 3 || weights[2] != 3 || weights[0] != weights[3]) {
    return no_member("its convolution is not 3x3 with as many output as input channels");
  }
  if (in.shape.rank() != 4 || in.shape[0] != 1 || in.dtype != DType::int8) {
    return no_member("its convolution does not take one picture of int8");
  }
  constexpr int64_t kMost = 1 << 20;
  Member m;
  m.family = Family::conv3x3;
  m.height = static_cast<int>(std::min(in.shape[1], kMost));
  m.width = static_cast<int>(std::min(in.shape[2], kMost));
  m.channels = static_cast<int>(std::min(in.shape[3], kMost));
  return m;
}

// The blob with the header that these families have: scales and zero points, no bias.
Result<Bytes> parameters_of(const Graph& graph, const Member& member) {
  std::vector<ReferenceLayer> layers = reference_layers(graph);
  if (layers.size() != 1) return no_member("its weights are not constants of one byte each");
  ReferenceLayer& layer = layers[0];
  if (layer.shape.has_bias) return no_member("its layer has a bias");
  if (!layer.shape.has_scale) {
    return no_member(
        "its weights have one scale for all channels, so the parameters have no "
        "scales and the program is another one");
  }
  layer.shape.has_zero = true;
  layer.content.scales = layer.effective_scales(member.output_scale);
  Bytes blob = write_block(layer.shape, layer.content);
  if (static_cast<int64_t>(blob.size()) != member.parameter_bytes()) {
    return no_member("its parameters would have " + std::to_string(blob.size()) + " bytes, not " +
                     std::to_string(member.parameter_bytes()));
  }
  return blob;
}

// The law counts the input of a dense layer in 256 bytes. Whether the compiler's own packages send
// so many where the layer has fewer is not known: none of these sizes is public. With the layer's
// own bytes the program stands still (SyncMachine).
Status has_whole_lines(const Member& m) {
  constexpr int kInputStep = 256;
  if (m.family != Family::dense || m.size % kInputStep == 0) return Ok{};
  const int waits = (m.size + kInputStep - 1) / kInputStep * kInputStep;
  return Error(ErrorCode::synthesize_range,
               "the program for " + text(m) + " waits for " + std::to_string(waits) +
                   " bytes of input, and the layer has " + std::to_string(m.size))
      .with_hint(
          "`compile MODEL.tflite --target edgetpu` makes a program of its own, which is proven.");
}

}  // namespace

Result<Source> source_of(const Graph& graph) {
  EDGETWIN_TRY_ASSIGN(const Op* op, layer_of(graph));
  if (op->kind != OpKind::fully_connected && op->kind != OpKind::conv_2d) {
    return no_member("its layer is neither FULLY_CONNECTED nor CONV_2D");
  }
  Source source;
  EDGETWIN_TRY_ASSIGN(source.member, op->kind == OpKind::fully_connected ? dense_member(graph, *op)
                                                                         : conv_member(graph, *op));
  source.input = graph.inputs[0];
  source.output = graph.outputs[0];
  const Value& in = graph.values[static_cast<size_t>(source.input)];
  const Value& out = graph.values[static_cast<size_t>(source.output)];
  source.member.input_zero_point = unsigned_zero_point(in);
  source.member.output_zero_point = unsigned_zero_point(out);
  source.member.output_scale = out.quant.scale_of(0);
  EDGETWIN_TRY(in_range(source.member));
  EDGETWIN_TRY(has_whole_lines(source.member));
  EDGETWIN_TRY_ASSIGN(source.parameters, parameters_of(graph, source.member));
  return source;
}

}  // namespace edgetwin::edgetpu
