#include "report/model/attributes.h"

#include "report/format.h"

namespace edgetwin::report {
namespace {

std::string padding_text(const Padding& p) {
  switch (p.kind) {
    case Padding::Kind::same:
      return "same";
    case Padding::Kind::valid:
      return "valid";
    case Padding::Kind::given:
      break;
  }
  return std::to_string(p.top) + "," + std::to_string(p.left) + "," + std::to_string(p.bottom) +
         "," + std::to_string(p.right);
}

std::string pair_text(int h, int w) { return std::to_string(h) + "x" + std::to_string(w); }

// One overload per struct of graph/attrs.h.
class Lister {
 public:
  std::vector<Attribute> list;

  void operator()(const NoAttrs&) {}
  void operator()(const ActivationAttrs& a) { activation(a.activation); }
  void operator()(const BinaryAttrs& a) { activation(a.activation); }
  void operator()(const Conv2DAttrs& a) {
    strides(a.padding, a.stride_h, a.stride_w);
    const bool dilated = a.dilation_h != 1 || a.dilation_w != 1;
    add("dilation", Json::list(std::vector{a.dilation_h, a.dilation_w}),
        dilated ? "dilation " + pair_text(a.dilation_h, a.dilation_w) : "");
    activation(a.activation);
  }
  void operator()(const TransposeConvAttrs& a) {
    strides(a.padding, a.stride_h, a.stride_w);
    activation(a.activation);
  }
  void operator()(const PoolAttrs& a) {
    const bool whole = a.filter_h == 0 && a.filter_w == 0;
    add("filter", Json::list(std::vector{a.filter_h, a.filter_w}),
        whole ? "whole picture" : "filter " + pair_text(a.filter_h, a.filter_w));
    const size_t before = list.size();
    strides(a.padding, a.stride_h, a.stride_w);
    for (size_t i = before; whole && i < list.size(); ++i) list[i].text.clear();
    activation(a.activation);
  }
  void operator()(const FullyConnectedAttrs& a) {
    flag("keep_num_dims", a.keep_num_dims);
    number("weights_format", a.weights_format, a.weights_format != 0);
    activation(a.activation);
  }
  void operator()(const ConcatAttrs& a) {
    number("axis", a.axis);
    activation(a.activation);
  }
  void operator()(const SoftmaxAttrs& a) { real("beta", a.beta); }
  void operator()(const ReshapeAttrs& a) { integers("new_shape", a.new_shape); }
  void operator()(const ResizeAttrs& a) {
    flag("align_corners", a.align_corners);
    flag("half_pixel_centers", a.half_pixel_centers);
  }
  void operator()(const BlockAttrs& a) {
    static constexpr std::string_view kOrders[] = {"position_first", "channel_first", "espdl_dcr"};
    number("block_size", a.block_size);
    const bool usual = a.order == BlockAttrs::Order::position_first;
    if (!usual) word("order", kOrders[static_cast<size_t>(a.order)]);
  }
  void operator()(const GatherAttrs& a) {
    number("axis", a.axis);
    number("batch_dims", a.batch_dims, a.batch_dims != 0);
  }
  void operator()(const ReduceAttrs& a) { flag("keep_dims", a.keep_dims); }
  void operator()(const MatMulAttrs& a) {
    static constexpr std::string_view kOrders[] = {"rows", "columns", "blocks"};
    word("rhs_order", kOrders[static_cast<size_t>(a.rhs_order)]);
    number("block", a.block, a.block != 0);
    activation(a.activation);
  }
  void operator()(const AlphaAttrs& a) {
    real("alpha", a.alpha);
    real("beta", a.beta, a.beta != 0.0F);
  }
  void operator()(const NormAttrs& a) {
    number("axis", a.axis);
    real("epsilon", a.epsilon, false);
    number("p", a.p, false);
  }
  void operator()(const ScaleAttrs& a) {
    static constexpr std::string_view kModes[] = {"nearest", "linear", "cubic"};
    word("mode", kModes[static_cast<size_t>(a.mode)]);
    flag("align_corners", a.align_corners);
    add("scales", Json::list(std::vector<double>(a.scales.begin(), a.scales.end())), "");
    add("sizes", Json::list(a.sizes), "");
  }
  void operator()(const SplitSizesAttrs& a) {
    number("axis", a.axis);
    long_integers("sizes", a.sizes);
  }
  void operator()(const BorderPadAttrs& a) {
    static constexpr std::string_view kModes[] = {"constant", "edge", "reflect"};
    word("mode", kModes[static_cast<size_t>(a.mode)]);
    long_integers("before", a.before);
    long_integers("after", a.after);
  }
  void operator()(const SliceStepsAttrs& a) {
    long_integers("starts", a.starts);
    long_integers("ends", a.ends);
    long_integers("axes", a.axes);
    long_integers("steps", a.steps);
  }
  void operator()(const ScatterAttrs& a) {
    static constexpr std::string_view kNames[] = {"none", "add", "mul", "max", "min"};
    word("reduction", kNames[static_cast<size_t>(a.reduction)]);
  }
  void operator()(const ReverseSequenceAttrs& a) {
    number("batch_axis", a.batch_axis);
    number("time_axis", a.time_axis);
  }
  void operator()(const InsertZerosAttrs& a) {
    long_integers("stride", a.stride);
    long_integers("output_padding", a.output_padding);
  }
  void operator()(const StreamingCacheAttrs& a) {
    number("window_size", a.window_size);
    number("frame_axis", a.frame_axis);
  }
  void operator()(const RecurrentAttrs& a) {
    number("hidden_size", a.hidden_size);
    flag("bidirectional", a.bidirectional);
    flag("reverse", a.reverse);
    number("gate_exponent", a.gate_exponent);
  }
  void operator()(const AxisAttrs& a) { number("axis", a.axis); }
  void operator()(const SqueezeAttrs& a) { integers("squeeze_dims", a.squeeze_dims); }
  void operator()(const StridedSliceAttrs& a) {
    number("begin_mask", a.begin_mask, a.begin_mask != 0);
    number("end_mask", a.end_mask, a.end_mask != 0);
    number("ellipsis_mask", a.ellipsis_mask, a.ellipsis_mask != 0);
    number("new_axis_mask", a.new_axis_mask, a.new_axis_mask != 0);
    number("shrink_axis_mask", a.shrink_axis_mask, a.shrink_axis_mask != 0);
    flag("offset", a.offset);
  }
  void operator()(const SplitAttrs& a) { number("num_splits", a.num_splits); }
  void operator()(const CastAttrs& a) {
    word("in", name(a.in), false);
    word("out", name(a.out), false);
  }
  void operator()(const ArgAttrs& a) { word("output_type", name(a.output_type), false); }
  void operator()(const ShapeAttrs& a) { word("out_type", name(a.out_type), false); }
  void operator()(const PackAttrs& a) {
    number("values_count", a.values_count, false);
    number("axis", a.axis);
  }
  void operator()(const UnpackAttrs& a) {
    number("num", a.num, false);
    number("axis", a.axis);
  }
  void operator()(const LstmAttrs& a) {
    real("cell_clip", a.cell_clip, a.cell_clip != 0.0F);
    real("proj_clip", a.proj_clip, a.proj_clip != 0.0F);
    flag("time_major", a.time_major);
    flag("diagonal_recurrent_tensors", a.diagonal_recurrent_tensors);
    activation(a.activation);
  }
  void operator()(const OpaqueAttrs& a) {
    number("builtin_code", a.builtin_code, false);
    number("custom_options_bytes", static_cast<int64_t>(a.custom_options.size()),
           !a.custom_options.empty());
  }
  void operator()(const DetectionAttrs& a) {
    number("max_detections", a.max_detections);
    number("max_classes_per_detection", a.max_classes_per_detection, false);
    number("detections_per_class", a.detections_per_class, false);
    flag("use_regular_nms", a.use_regular_nms);
    real("nms_score_threshold", a.nms_score_threshold);
    real("nms_iou_threshold", a.nms_iou_threshold);
    number("num_classes", a.num_classes);
    real("y_scale", a.y_scale, false);
    real("x_scale", a.x_scale, false);
    real("h_scale", a.h_scale, false);
    real("w_scale", a.w_scale, false);
  }
  void operator()(const PosenetAttrs& a) {
    number("max_detections", a.max_detections);
    real("score_threshold", a.score_threshold);
    number("stride", a.stride);
    real("nms_radius", a.nms_radius);
  }

 private:
  void add(std::string_view key, Json value, std::string text) {
    list.push_back({std::string(key), std::move(value), std::move(text)});
  }
  void number(std::string_view key, int64_t value, bool shown = true) {
    add(key, Json(value), shown ? std::string(key) + " " + std::to_string(value) : "");
  }
  void real(std::string_view key, float value, bool shown = true) {
    add(key, Json(static_cast<double>(value)),
        shown ? std::string(key) + " " + real_text(value) : "");
  }
  void flag(std::string_view key, bool value) {
    add(key, Json(value), value ? std::string(key) : "");
  }
  void word(std::string_view key, std::string_view value, bool shown = true) {
    add(key, Json(value), shown ? std::string(value) : "");
  }
  void integers(std::string_view key, const std::vector<int32_t>& values) {
    std::string text;
    for (const int32_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
    add(key, Json::list(values), values.empty() ? "" : std::string(key) + " " + text);
  }
  void long_integers(std::string_view key, const std::vector<int64_t>& values) {
    std::string text;
    for (const int64_t v : values) text += (text.empty() ? "" : ",") + std::to_string(v);
    add(key, Json::list(values), values.empty() ? "" : std::string(key) + " " + text);
  }
  void activation(Activation a) { word("activation", name(a), a != Activation::none); }
  void strides(const Padding& padding, int h, int w) {
    add("stride", Json::list(std::vector{h, w}), "stride " + pair_text(h, w));
    const bool given = padding.kind == Padding::Kind::given;
    add("padding", Json(padding_text(padding)), (given ? "padding " : "") + padding_text(padding));
  }
};

std::string joined(const std::vector<Attribute>& list) {
  std::string text;
  for (const Attribute& a : list) {
    if (!a.text.empty()) text += (text.empty() ? "" : ", ") + a.text;
  }
  return text;
}

// Sizes of the window, and the groups of a convolution that has more than one.
std::vector<Attribute> window_of(const Graph& graph, const Op& op) {
  const bool depthwise = op.kind == OpKind::depthwise_conv_2d;
  const bool plain = op.kind == OpKind::conv_2d;
  if (!depthwise && !plain && op.kind != OpKind::transpose_conv) return {};
  if (!op.has_input(1) || !op.has_input(0)) return {};
  const Shape& filter = graph.value(op.inputs[1]).shape;
  const Shape& in = graph.value(op.inputs[0]).shape;
  const bool planes = graph.layout == Layout::nchw;
  if (filter.rank() < 3) return {};
  std::vector<int64_t> sizes;
  const int first = planes ? 2 : 1;
  for (int axis = first; axis < first + filter.rank() - 2; ++axis) sizes.push_back(filter[axis]);
  std::string text = "filter ";
  for (size_t i = 0; i < sizes.size(); ++i) text += (i == 0 ? "" : "x") + std::to_string(sizes[i]);
  std::vector<Attribute> list;
  list.push_back({"filter", Json::list(sizes), text});
  const int64_t channels = in.rank() != filter.rank() ? 0 : planes ? in[1] : in.back(0);
  const int64_t taken = planes ? filter[1] : filter.back(0);
  if (plain && taken > 0 && channels > taken && channels % taken == 0) {
    const int64_t groups = channels / taken;
    list.push_back({"groups", Json(groups), "groups " + std::to_string(groups)});
  }
  return list;
}

}  // namespace

std::vector<Attribute> attributes(const Attrs& attrs) {
  Lister lister;
  std::visit(lister, attrs);
  return std::move(lister.list);
}

std::vector<Attribute> attributes(const Graph& graph, const Op& op) {
  std::vector<Attribute> list = attributes(op.attrs);
  std::vector<Attribute> window = window_of(graph, op);
  list.insert(list.begin(), std::make_move_iterator(window.begin()),
              std::make_move_iterator(window.end()));
  // ONNX has no such option: its rows are always one axis.
  for (Attribute& a : list) {
    if (a.name == "keep_num_dims" && graph.layout == Layout::nchw) a.text.clear();
  }
  return list;
}

std::string attributes_text(const Attrs& attrs) { return joined(attributes(attrs)); }

std::string attributes_text(const Graph& graph, const Op& op) {
  return joined(attributes(graph, op));
}

Json attributes_json(const Graph& graph, const Op& op) {
  Json j = Json::object();
  for (Attribute& a : attributes(graph, op)) j.set(a.name, std::move(a.value));
  return j;
}

}  // namespace edgetwin::report
