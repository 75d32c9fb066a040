// Operators that move elements.
#include <algorithm>
#include <cstring>
#include <limits>

#include "formats/espdl/import/importer.h"

namespace edgetwin::espdl {
namespace {

constexpr int64_t kLow = std::numeric_limits<int32_t>::min();
constexpr int64_t kHigh = std::numeric_limits<int32_t>::max();

Result<int> axis_attribute(Importer& m, const Importer::Building& b, const char* attribute,
                           int64_t otherwise) {
  const int64_t v = b.node.integer(attribute).value_or(otherwise);
  if (v >= -Shape::kMaxRank && v <= Shape::kMaxRank) return static_cast<int>(v);
  return m.error(b, ErrorCode::espdl_attribute,
                 std::string(attribute) + " is " + std::to_string(v));
}

// A list that must be there: an initializer at `i`, or an attribute of older opsets.
Result<std::vector<int64_t>> list_of(Importer& m, const Importer::Building& b, size_t i,
                                     const char* attribute) {
  EDGETWIN_TRY_ASSIGN(auto values, m.integers(b, i, attribute));
  if (!values) values = b.node.integers(attribute);
  if (values) return std::move(*values);
  return m.error(b, ErrorCode::espdl_attribute, std::string(attribute) + " is missing");
}

// Numbers as the graph keeps them.
Result<std::vector<int32_t>> narrow(Importer& m, const Importer::Building& b,
                                    const std::vector<int64_t>& numbers) {
  std::vector<int32_t> result;
  for (const int64_t n : numbers) {
    if (n < kLow || n > kHigh) {
      return m.error(b, ErrorCode::espdl_attribute, "a size or axis of " + std::to_string(n));
    }
    result.push_back(static_cast<int32_t>(n));
  }
  return result;
}

}  // namespace

Status import_reshape(Importer& m, Importer::Building& b) {
  EDGETWIN_TRY(m.take_input(b, 0));
  const std::string& type = b.node.op_type;
  if (type == "Flatten") {
    AxisAttrs a;
    EDGETWIN_TRY_ASSIGN(a.axis, axis_attribute(m, b, "axis", 1));
    b.op.kind = OpKind::flatten;
    b.op.attrs = a;
    return Ok{};
  }
  if (type == "Reshape") {
    ReshapeAttrs a;
    EDGETWIN_TRY_ASSIGN(const auto dims, list_of(m, b, 1, "shape"));
    EDGETWIN_TRY_ASSIGN(a.new_shape, narrow(m, b, dims));
    a.zero_copies = b.node.integer("allowzero").value_or(0) == 0;
    b.op.kind = OpKind::reshape;
    b.op.attrs = std::move(a);
    return Ok{};
  }
  SqueezeAttrs a;
  EDGETWIN_TRY_ASSIGN(auto axes, m.integers(b, 1, "axes"));
  if (!axes) axes = b.node.integers("axes");  // of older opsets
  if (!axes && type == "Unsqueeze") {
    return m.error(b, ErrorCode::espdl_attribute, "axes is missing");
  }
  if (axes) {
    EDGETWIN_TRY_ASSIGN(a.squeeze_dims, narrow(m, b, *axes));
  }
  b.op.kind = type == "Squeeze" ? OpKind::squeeze : OpKind::unsqueeze;
  b.op.attrs = std::move(a);
  return Ok{};
}

Status import_concat(Importer& m, Importer::Building& b) {
  ConcatAttrs a;
  if (!b.node.integer("axis")) {
    return m.error(b, ErrorCode::espdl_attribute, "axis is missing");
  }
  EDGETWIN_TRY_ASSIGN(a.axis, axis_attribute(m, b, "axis", 0));
  b.op.kind = OpKind::concatenation;
  b.op.attrs = a;
  for (size_t i = 0; i < b.node.inputs.size(); ++i) EDGETWIN_TRY(m.take_input(b, i));
  return Ok{};
}

Status import_slice(Importer& m, Importer::Building& b) {
  SliceStepsAttrs a;
  EDGETWIN_TRY_ASSIGN(a.starts, list_of(m, b, 1, "starts"));
  EDGETWIN_TRY_ASSIGN(a.ends, list_of(m, b, 2, "ends"));
  EDGETWIN_TRY_ASSIGN(auto axes, m.integers(b, 3, "axes"));
  EDGETWIN_TRY_ASSIGN(auto steps, m.integers(b, 4, "steps"));
  for (size_t i = 0; !axes && i < a.starts.size(); ++i) a.axes.push_back(static_cast<int64_t>(i));
  if (axes) a.axes = std::move(*axes);
  a.steps = steps ? std::move(*steps) : std::vector<int64_t>(a.starts.size(), 1);
  const size_t n = a.starts.size();
  if (a.ends.size() != n || a.axes.size() != n || a.steps.size() != n) {
    return m.error(b, ErrorCode::espdl_attribute, "starts, ends, axes and steps differ in length");
  }
  for (auto* list : {&a.starts, &a.ends}) {
    for (int64_t& v : *list) v = std::clamp(v, kLow, kHigh);
  }
  b.op.kind = OpKind::slice_steps;
  b.op.attrs = std::move(a);
  return m.take_input(b, 0);
}

Status import_split(Importer& m, Importer::Building& b) {
  SplitSizesAttrs a;
  EDGETWIN_TRY_ASSIGN(a.axis, axis_attribute(m, b, "axis", 0));
  EDGETWIN_TRY_ASSIGN(auto sizes, m.integers(b, 1, "split"));
  EDGETWIN_TRY(m.take_input(b, 0));
  if (!sizes) {
    const int64_t chunk = b.node.integer("num_outputs").value_or(0);
    EDGETWIN_TRY_ASSIGN(const Shape in, m.declared_shape(b, 0));
    const int axis = a.axis < 0 ? a.axis + in.rank() : a.axis;
    if (chunk < 1 || axis < 0 || axis >= in.rank()) {
      return m.error(b, ErrorCode::espdl_attribute, "neither split nor num_outputs");
    }
    m.finding(b, Severity::warning,
              "num_outputs without split: the runtime takes the number for the length of a part",
              "Write the split tensor.");
    sizes.emplace();
    for (int64_t left = in[axis]; left > 0 && sizes->size() <= b.node.outputs.size();
         left -= chunk) {
      sizes->push_back(std::min(left, chunk));
    }
  }
  a.sizes = std::move(*sizes);
  b.op.kind = OpKind::split_sizes;
  b.op.attrs = std::move(a);
  return Ok{};
}

Status import_pad(Importer& m, Importer::Building& b) {
  BorderPadAttrs a;
  const std::string mode = b.node.text("mode").value_or("constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect") {
    return m.error(b, ErrorCode::espdl_attribute, "mode '" + mode + "' is not known");
  }
  a.mode = mode == "edge"      ? BorderPadAttrs::Mode::edge
           : mode == "reflect" ? BorderPadAttrs::Mode::reflect
                               : BorderPadAttrs::Mode::constant;
  EDGETWIN_TRY_ASSIGN(const auto pads, list_of(m, b, 1, "pads"));
  const auto half = static_cast<std::ptrdiff_t>(pads.size() / 2);
  a.before.assign(pads.begin(), pads.begin() + half);
  a.after.assign(pads.begin() + half, pads.end());
  b.op.kind = OpKind::border_pad;
  b.op.attrs = std::move(a);
  EDGETWIN_TRY(m.take_input(b, 0));
  if (b.node.inputs.size() > 2 && !b.node.inputs[2].empty()) return m.take_input(b, 2);
  return Ok{};
}

Status import_transpose(Importer& m, Importer::Building& b) {
  const auto perm = b.node.integers("perm");
  if (!perm) return m.error(b, ErrorCode::espdl_attribute, "perm is missing");
  Bytes data(perm->size() * sizeof(int32_t));
  for (size_t i = 0; i < perm->size(); ++i) {
    const auto v = static_cast<int32_t>(std::clamp((*perm)[i], kLow, kHigh));
    std::memcpy(data.data() + i * sizeof v, &v, sizeof v);
  }
  b.op.kind = OpKind::transpose;
  EDGETWIN_TRY(m.take_input(b, 0));
  b.op.inputs.push_back(m.add_constant(b, "perm", DType::int32,
                                       {static_cast<int64_t>(perm->size())}, std::move(data)));
  return Ok{};
}

Status import_gather(Importer& m, Importer::Building& b) {
  GatherAttrs a;
  EDGETWIN_TRY_ASSIGN(a.axis, axis_attribute(m, b, "axis", 0));
  b.op.kind = OpKind::gather;
  b.op.attrs = a;
  EDGETWIN_TRY(m.take_input(b, 0));
  return m.take_input(b, 1);
}

Status import_scatter(Importer& m, Importer::Building& b) {
  constexpr std::string_view kNames[] = {"none", "add", "mul", "max", "min"};
  const std::string text = b.node.text("reduction").value_or("none");
  const auto* found = std::find(std::begin(kNames), std::end(kNames), text);
  if (found == std::end(kNames)) {
    return m.error(b, ErrorCode::espdl_attribute, "reduction '" + text + "' is not known");
  }
  b.op.kind = OpKind::scatter_nd;
  b.op.attrs = ScatterAttrs{static_cast<ScatterAttrs::Reduction>(found - std::begin(kNames))};
  for (size_t i = 0; i < 3; ++i) EDGETWIN_TRY(m.take_input(b, i));
  return Ok{};
}

Status import_reverse_sequence(Importer& m, Importer::Building& b) {
  ReverseSequenceAttrs a;
  EDGETWIN_TRY_ASSIGN(a.batch_axis, axis_attribute(m, b, "batch_axis", 1));
  EDGETWIN_TRY_ASSIGN(a.time_axis, axis_attribute(m, b, "time_axis", 0));
  b.op.kind = OpKind::reverse_sequence;
  b.op.attrs = a;
  EDGETWIN_TRY(m.take_input(b, 0));
  return m.take_input(b, 1);
}

Status import_blocks(Importer& m, Importer::Building& b) {
  BlockAttrs a;
  const int64_t size = b.node.integer("blocksize").value_or(0);
  if (size < 1 || size > 4096) {
    return m.error(b, ErrorCode::espdl_attribute, "blocksize is " + std::to_string(size));
  }
  a.block_size = static_cast<int>(size);
  const bool depth = b.node.op_type == "DepthToSpace";
  const std::string mode = b.node.text("mode").value_or("DCR");
  a.order =
      depth && mode != "CRD" ? BlockAttrs::Order::block_wide : BlockAttrs::Order::channel_first;
  b.op.kind = depth ? OpKind::depth_to_space : OpKind::space_to_depth;
  b.op.attrs = a;
  return m.take_input(b, 0);
}

namespace {

// Lists of scales and sizes stay in the order of the ONNX graph; the tensor has its channels last.
template <class T>
std::vector<T> channels_last(std::vector<T> v) {
  if (v.size() >= 3) std::rotate(v.begin() + 1, v.begin() + 2, v.end());
  return v;
}

}  // namespace

Status import_resize(Importer& m, Importer::Building& b) {
  ScaleAttrs a;
  const std::string mode = b.node.text("mode").value_or("nearest");
  a.mode = mode == "nearest"  ? ScaleAttrs::Mode::nearest
           : mode == "linear" ? ScaleAttrs::Mode::linear
                              : ScaleAttrs::Mode::cubic;
  const std::string coordinates =
      b.node.text("coordinate_transformation_mode").value_or("half_pixel");
  a.align_corners = coordinates == "align_corners";
  const TensorData* scales = m.constant(b, 2);
  if (scales != nullptr && scales->type == DataType::float32 && !scales->data.empty()) {
    a.scales.resize(scales->data.size() / sizeof(float));
    std::memcpy(a.scales.data(), scales->data.data(), a.scales.size() * sizeof(float));
    a.scales = channels_last(std::move(a.scales));
  } else {
    EDGETWIN_TRY_ASSIGN(auto sizes, m.integers(b, 3, "sizes"));
    if (!sizes) return m.error(b, ErrorCode::espdl_attribute, "neither scales nor sizes");
    a.sizes = channels_last(std::move(*sizes));
  }
  const bool usual = a.mode == ScaleAttrs::Mode::nearest
                         ? coordinates == "asymmetric"
                         : coordinates == "half_pixel" || a.align_corners;
  if (!usual) {
    m.finding(b, Severity::note,
              "coordinate_transformation_mode '" + coordinates + "': the runtime takes " +
                  (a.mode == ScaleAttrs::Mode::nearest ? "asymmetric" : "half_pixel"));
  }
  b.op.kind = OpKind::resize;
  b.op.attrs = std::move(a);
  return m.take_input(b, 0);
}

Status import_insert_zeros(Importer& m, Importer::Building& b) {
  InsertZerosAttrs a;
  a.stride = b.node.integers("stride").value_or(std::vector<int64_t>{});
  a.output_padding = b.node.integers("output_padding").value_or(std::vector<int64_t>{});
  b.op.kind = OpKind::insert_zeros;
  b.op.attrs = std::move(a);
  return m.take_input(b, 0);
}

Status import_streaming_cache(Importer& m, Importer::Building& b) {
  StreamingCacheAttrs a;
  const int64_t window = b.node.integer("window_size").value_or(1);
  if (window < 1 || window > (1 << 20)) {
    return m.error(b, ErrorCode::espdl_attribute, "window_size is " + std::to_string(window));
  }
  a.window_size = static_cast<int>(window);
  EDGETWIN_TRY_ASSIGN(a.frame_axis, axis_attribute(m, b, "frame_axis", 1));
  EDGETWIN_TRY(m.take_input(b, 0));
  if (b.op.inputs[0] == kAbsent) return m.error(b, ErrorCode::graph_arity, "no input");
  Value cache = m.graph().value(b.op.inputs[0]);
  const int axis = a.frame_axis < 0 ? a.frame_axis + cache.shape.rank() : a.frame_axis;
  if (axis < 0 || axis >= cache.shape.rank()) {
    return m.error(b, ErrorCode::espdl_attribute, "frame_axis " + std::to_string(a.frame_axis));
  }
  cache.name = (b.node.name.empty() ? b.node.op_type : b.node.name) + ".cache";
  cache.shape[axis] = window - 1;
  cache.is_variable = true;
  cache.constant = nullptr;
  b.op.inputs.push_back(m.add_value(std::move(cache)));
  b.op.kind = OpKind::streaming_cache;
  b.op.attrs = a;
  return Ok{};
}

}  // namespace edgetwin::espdl
