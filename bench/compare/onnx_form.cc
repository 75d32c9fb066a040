#include "compare/onnx_form.h"

#include <algorithm>
#include <limits>
#include <set>

#include "compare/onnx_ops.h"

namespace edgetwin::bench {
namespace {

FormFunction form_of(OpKind kind) {
  using enum OpKind;
  switch (kind) {
    case conv_2d:
    case depthwise_conv_2d:
      return form_conv;
    case fully_connected:
      return form_dense;
    case matmul:
      return form_matmul;
    case average_pool_2d:
    case max_pool_2d:
      return form_pool;
    case add:
    case sub:
    case mul:
    case div:
    case floor_div:
    case maximum:
    case minimum:
    case squared_difference:
      return form_pair;
    case concatenation:
      return form_concat;
    case softmax:
      return form_softmax;
    case quantize:
    case dequantize:
      return form_change;
    case cast:
      return form_cast;
    case mean:
    case sum:
    case reduce_mean:
      return form_mean;
    case reshape:
    case squeeze:
    case expand_dims:
    case unsqueeze:
    case flatten:
    case identity:
      return form_reshape;
    case transpose:
      return form_transpose;
    case resize:
    case resize_bilinear:
    case resize_nearest_neighbor:
      return form_resize;
    case pad:
    case padv2:
      return form_pad;
    case arg_max:
      return form_arg_max;
    case gather:
      return form_gather;
    case gather_nd:
      return form_gather_nd;
    case slice:
    case strided_slice:
    case slice_steps:
      return form_slice;
    case split:
    case split_sizes:
      return form_split;
    case pack:
      return form_pack;
    case unpack:
      return form_unpack;
    default:
      return form_function;
  }
}

bool is_decoder(OpKind kind) {
  return kind == OpKind::detection_postprocess || kind == OpKind::posenet_decoder ||
         kind == OpKind::opaque;
}

}  // namespace

Error FormOp::refused(const std::string& why) const {
  return Error(ErrorCode::onnx_operator, op_label(w.graph(), index) + " has no form here: " + why);
}

bool FormOp::has_bytes() const {
  const auto is_byte = [&](ValueId id) {
    const Value& v = w.value(id);
    return v.is_constant() || v.dtype == DType::int8 || v.dtype == DType::uint8;
  };
  const DType type = out().dtype;
  return std::all_of(op.inputs.begin(), op.inputs.end(),
                     [&](ValueId id) { return id == kAbsent || is_byte(id); }) &&
         (type == DType::int8 || type == DType::uint8) && in(0).dtype == type;
}

void FormOp::add_quantized(std::vector<std::string>& inputs, size_t i, Channels order) const {
  inputs.push_back(w.read(in_id(i), order));
  inputs.push_back(w.scale(in_id(i)));
  inputs.push_back(w.zero_point(in_id(i)));
}

void FormOp::add_result(std::vector<std::string>& inputs) const {
  inputs.push_back(w.scale(out_id()));
  inputs.push_back(w.zero_point(out_id()));
}

std::optional<std::pair<int64_t, int64_t>> cut_of(const Value& value, Activation activation) {
  if (activation == Activation::none) return std::nullopt;
  const bool is_signed = value.dtype != DType::uint8;
  const int64_t low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
  const int64_t zero = value.quant.zero_point_of(0);
  const double scale = static_cast<double>(value.quant.scale_of(0));
  const auto at = [&](double real) -> int64_t { return zero + std::llround(real / scale); };
  const int64_t least = std::max(low, activation == Activation::relu_n1_to_1 ? at(-1) : zero);
  int64_t most = high;
  if (activation == Activation::relu6) most = std::min(high, at(6));
  if (activation == Activation::relu_n1_to_1) most = std::min(high, at(1));
  if (least == low && most == high) return std::nullopt;
  return std::pair{least, most};
}

void finish_quantized(const FormOp& f, Channels order, Activation activation, const char* type,
                      std::vector<std::string> inputs, std::vector<onnx::Attribute> attributes,
                      const char* domain) {
  const auto cut = cut_of(f.out(), activation);
  if (!cut) {
    f.w.node_to(f.w.made(f.out_id(), order), type, std::move(inputs), std::move(attributes),
                domain);
    return;
  }
  const std::string whole = f.w.node(type, std::move(inputs), std::move(attributes), domain);
  const auto limit = [&](int64_t x) {
    return f.w.constant_of("limit", f.out().dtype, {}, std::vector{static_cast<int8_t>(x)});
  };
  f.w.node_to(f.w.made(f.out_id(), order), "Clip", {whole, limit(cut->first), limit(cut->second)});
}

std::string activated(const FormOp& f, Activation activation, const std::string& reals) {
  switch (activation) {
    case Activation::relu:
      return f.w.node("Relu", {reals});
    case Activation::relu6:
      return f.w.node("Clip", {reals, f.w.real("low", 0), f.w.real("high", 6)});
    case Activation::relu_n1_to_1:
      return f.w.node("Clip", {reals, f.w.real("low", -1), f.w.real("high", 1)});
    case Activation::tanh:
      return f.w.node("Tanh", {reals});
    default:
      return reals;
  }
}

Result<onnx::Document> onnx_form(const Graph& graph) {
  OnnxWriter writer(graph);
  for (size_t i = 0; i < graph.ops.size(); ++i) {
    const Op& op = graph.ops[i];
    const bool folded = std::all_of(op.outputs.begin(), op.outputs.end(),
                                    [&](ValueId id) { return graph.value(id).is_constant(); });
    if (folded) continue;
    EDGETWIN_TRY(form_of(op.kind)(FormOp{writer, op, i}));
  }
  return writer.finish();
}

Graph without_decoders(const Graph& graph) {
  Graph kept = graph;
  kept.ops.clear();
  std::set<ValueId> made(graph.inputs.begin(), graph.inputs.end()), wanted;
  for (const Op& op : graph.ops) {
    const bool reachable = std::all_of(op.inputs.begin(), op.inputs.end(), [&](ValueId id) {
      return id == kAbsent || graph.value(id).is_constant() || made.contains(id);
    });
    if (reachable && !is_decoder(op.kind)) {
      kept.ops.push_back(op);
      made.insert(op.outputs.begin(), op.outputs.end());
      continue;
    }
    for (const ValueId id : op.inputs) {
      if (id != kAbsent && made.contains(id)) wanted.insert(id);
    }
  }
  std::erase_if(kept.outputs, [&](ValueId id) { return !made.contains(id); });
  for (const ValueId id : wanted) {
    if (std::find(kept.outputs.begin(), kept.outputs.end(), id) == kept.outputs.end()) {
      kept.outputs.push_back(id);
    }
  }
  return kept;
}

}  // namespace edgetwin::bench
