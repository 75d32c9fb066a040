#include "targets/edgetpu/compile/likeness/member.h"

#include <algorithm>

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

// Scales and zero points in the parameters, no bias.
Status has_the_header(const Graph& graph) {
  const std::vector<ReferenceLayer> layers = reference_layers(graph);
  if (layers.size() != 1) return no_member("its weights are not constants of one byte each");
  if (layers[0].shape.has_bias) return no_member("its layer has a bias");
  if (layers[0].shape.has_scale) return Ok{};
  return no_member(
      "its weights have one scale for all channels, so the parameters have no "
      "scales and the program is another one");
}

bool compared(const Member& m) {
  const bool channels = m.channels == 32 || m.channels == 64 || m.channels == 128;
#define DENSE(n) \
  if (m.family == Family::dense && m.size == (n)) return true;
#define CONV3X3(h, w) \
  if (m.family == Family::conv3x3 && m.height == (h) && m.width == (w) && channels) return true;
#define CONV3X3_OF(h, w, c)                                                                  \
  if (m.family == Family::conv3x3 && m.height == (h) && m.width == (w) && m.channels == (c)) \
    return true;
#include "targets/edgetpu/compile/likeness/members.def"
#undef DENSE
#undef CONV3X3
#undef CONV3X3_OF
  return false;
}

// Between compared ones of the same program.
bool inside(const Member& m) {
  if (m.family == Family::dense) return m.size % 256 == 0 && m.size > 256 && m.size < 1024;
  const bool channels = m.channels == 32 || m.channels == 64 || m.channels == 128;
  const int step = m.height == 8 ? 4 : 8, least = m.height == 8 ? 72 : 64;
  const bool widths = m.width >= least && m.width <= 192 && m.width % step == 0;
  return channels && (m.height == 8 || m.height == 12) && widths;
}

}  // namespace

int64_t Member::input_bytes() const {
  return family == Family::dense ? size : int64_t{height} * width * channels;
}

int64_t Member::weights() const {
  return family == Family::dense ? int64_t{size} * size : int64_t{9} * channels * channels;
}

std::string text(const Member& m) {
  if (m.family == Family::dense) return "dense " + std::to_string(m.size);
  return "conv3x3 " + std::to_string(m.height) + " x " + std::to_string(m.width) + " x " +
         std::to_string(m.channels);
}

std::string_view text(Standing standing) {
  switch (standing) {
    case Standing::compared:
      return "equals the compiler's bytes";
    case Standing::inside:
      return "between layers whose bytes equal the compiler's; never compared, never run on a "
             "device";
    case Standing::beyond:
      return "outside of all layers that were compared; never compared, never run on a device";
  }
  return "";
}

Standing standing_of_execution(const Member& m) {
  if (compared(m)) return Standing::compared;
  return inside(m) ? Standing::inside : Standing::beyond;
}

// Parameters of convolutions are moved in the same way whatever the size of the picture.
Standing standing_of_caching(const Member& m) {
  const bool channels = m.channels == 32 || m.channels == 64 || m.channels == 128;
  return m.family == Family::conv3x3 && channels ? Standing::compared : standing_of_execution(m);
}

Result<Member> member_of(const Graph& graph) {
  EDGETWIN_TRY_ASSIGN(const Op* op, layer_of(graph));
  if (op->kind != OpKind::fully_connected && op->kind != OpKind::conv_2d) {
    return no_member("its layer is neither FULLY_CONNECTED nor CONV_2D");
  }
  EDGETWIN_TRY_ASSIGN(Member member, op->kind == OpKind::fully_connected ? dense_member(graph, *op)
                                                                         : conv_member(graph, *op));
  const Value& in = graph.value(graph.inputs[0]);
  const Value& out = graph.value(graph.outputs[0]);
  member.input_zero_point = unsigned_zero_point(in);
  member.output_zero_point = unsigned_zero_point(out);
  member.output_scale = out.quant.scale_of(0);
  EDGETWIN_TRY(has_the_header(graph));
  return member;
}

}  // namespace edgetwin::edgetpu
