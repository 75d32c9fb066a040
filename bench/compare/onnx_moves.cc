// What moves elements: shapes, slices, gathers, resizing.
#include <algorithm>
#include <bit>

#include "compare/onnx_ops.h"

namespace edgetwin::bench {
namespace {

using onnx::Attribute;

std::string sizes_of(const FormOp& f, ValueId id) {
  const auto dims = f.w.value(id).shape.dims();
  return f.w.integers("sizes", {dims.begin(), dims.end()});
}

// One node over the first operand as it lies in our graphs.
Status moved(const FormOp& f, const char* type, std::vector<std::string> more,
             std::vector<Attribute> attributes = {}) {
  std::vector<std::string> inputs = {f.w.read(f.in_id(0), Channels::last)};
  inputs.insert(inputs.end(), more.begin(), more.end());
  f.w.node_to(f.w.made(f.out_id(), Channels::last), type, std::move(inputs), std::move(attributes));
  return Ok{};
}

struct SliceRange {
  std::vector<int64_t> starts, ends, steps;
};

// Of STRIDED_SLICE; a shrunk axis is one element.
SliceRange strided_range(const FormOp& f) {
  const auto& a = f.op.as<StridedSliceAttrs>();
  SliceRange r{integers_of(f.in(1)), integers_of(f.in(2)), integers_of(f.in(3))};
  for (size_t i = 0; i < r.starts.size(); ++i) {
    const int64_t size = f.in(0).shape[static_cast<int>(i)];
    const auto is_set = [&](int mask) { return (mask >> i & 1) != 0; };
    if (is_set(a.begin_mask)) r.starts[i] = r.steps[i] > 0 ? 0 : size - 1;
    if (is_set(a.end_mask)) r.ends[i] = r.steps[i] > 0 ? size : INT64_MIN;
    if (is_set(a.shrink_axis_mask)) {
      r.ends[i] = r.starts[i] == -1 ? INT64_MAX : r.starts[i] + 1;
      r.steps[i] = 1;
    }
  }
  return r;
}

SliceRange range_of(const FormOp& f) {
  if (f.op.kind == OpKind::strided_slice) return strided_range(f);
  SliceRange r{integers_of(f.in(1)), integers_of(f.in(2)), {}};
  for (size_t i = 0; i < r.starts.size(); ++i) {
    r.ends[i] = r.ends[i] == -1 ? INT64_MAX : r.starts[i] + r.ends[i];
    r.steps.push_back(1);
  }
  return r;
}

}  // namespace

Status form_reshape(const FormOp& f) { return moved(f, "Reshape", {sizes_of(f, f.out_id())}); }

Status form_transpose(const FormOp& f) {
  std::vector<int64_t> order = integers_of(f.in(1));
  for (int64_t& axis : order) axis += axis < 0 ? f.in(0).shape.rank() : 0;
  return moved(f, "Transpose", {}, {integers_attribute("perm", std::move(order))});
}

Status form_resize(const FormOp& f) {
  const Shape& out = f.out().shape;
  if (out.rank() != 4) return f.refused("no picture");
  std::vector<Attribute> attributes;
  bool linear = f.op.kind == OpKind::resize_bilinear;
  if (const auto* a = std::get_if<ResizeAttrs>(&f.op.attrs)) {
    attributes.push_back(
        text_attribute("coordinate_transformation_mode", a->align_corners        ? "align_corners"
                                                         : a->half_pixel_centers ? "half_pixel"
                                                                                 : "asymmetric"));
  } else {
    linear = f.op.as<ScaleAttrs>().mode == ScaleAttrs::Mode::linear;
    attributes.push_back(
        text_attribute("coordinate_transformation_mode", linear ? "half_pixel" : "asymmetric"));
  }
  attributes.push_back(text_attribute("mode", linear ? "linear" : "nearest"));
  if (!linear) attributes.push_back(text_attribute("nearest_mode", "floor"));
  const std::string sizes = f.w.integers("sizes", {out[0], out[3], out[1], out[2]});
  const bool same = f.in(0).quant == f.out().quant;
  const auto input = [&] {
    return same ? f.w.read(f.in_id(0), Channels::first)
                : f.w.read_real(f.in_id(0), Channels::first);
  };
  if (same && f.has_bytes()) {
    f.w.node_to(f.w.made(f.out_id(), Channels::first), "Resize", {input(), "", "", sizes},
                std::move(attributes));
    return Ok{};
  }
  f.w.finish_real(f.out_id(), Channels::first,
                  f.w.node("Resize", {f.w.read_real(f.in_id(0), Channels::first), "", "", sizes},
                           std::move(attributes)));
  return Ok{};
}

Status form_pad(const FormOp& f) {
  const std::vector<int64_t> given = integers_of(f.in(1));
  const Channels order = f.w.order_of(f.in_id(0));
  const size_t rank = given.size() / 2;
  constexpr size_t kFirst[] = {0, 3, 1, 2};
  std::vector<int64_t> pads(2 * rank);
  for (size_t i = 0; i < rank; ++i) {
    const size_t from = order == Channels::first ? kFirst[i] : i;
    pads[i] = given[2 * from];
    pads[rank + i] = given[2 * from + 1];
  }
  const std::string value = f.op.kind == OpKind::padv2 ? f.w.read(f.in_id(2), Channels::last)
                                                       : f.w.zero_point(f.out_id());
  f.w.node_to(f.w.made(f.out_id(), order), "Pad",
              {f.w.read(f.in_id(0), order), f.w.integers("pads", pads), value});
  return Ok{};
}

Status form_arg_max(const FormOp& f) {
  const Channels order = f.w.order_of(f.in_id(0));
  const int rank = f.in(0).shape.rank();
  int64_t axis = integers_of(f.in(1)).front();
  if (axis < 0) axis += rank;
  const bool over_channels = order == Channels::first && axis == 3;
  const std::string x = f.w.read(f.in_id(0), over_channels ? order : Channels::last);
  std::string y = f.w.node(
      "ArgMax", {x},
      {integer_attribute("axis", over_channels ? 1 : axis), integer_attribute("keepdims", 0)});
  if (f.out().dtype == DType::int32) y = f.w.node("Cast", {y}, {integer_attribute("to", 6)});
  f.w.node_to(f.w.made(f.out_id(), Channels::last), "Identity", {y});
  return Ok{};
}

Status form_gather(const FormOp& f) {
  const auto& a = f.op.as<GatherAttrs>();
  if (a.batch_dims != 0) return f.refused("it gathers in batches");
  return moved(f, "Gather", {f.w.read(f.in_id(1), Channels::last)},
               {integer_attribute("axis", a.axis)});
}

Status form_gather_nd(const FormOp& f) {
  const std::string wide =
      f.w.node("Cast", {f.w.read(f.in_id(1), Channels::last)}, {integer_attribute("to", 7)});
  return moved(f, "GatherND", {wide});
}

Status form_slice(const FormOp& f) {
  std::vector<int64_t> axes;
  SliceRange r;
  if (const auto* a = std::get_if<SliceStepsAttrs>(&f.op.attrs)) {
    r = {a->starts, a->ends, a->steps};
    axes = a->axes;
    if (axes.empty()) {
      for (size_t i = 0; i < r.starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    }
    r.steps.resize(r.starts.size(), 1);
  } else {
    if (f.op.kind == OpKind::strided_slice) {
      const auto& s = f.op.as<StridedSliceAttrs>();
      if (s.ellipsis_mask != 0 || s.new_axis_mask != 0) return f.refused("its masks");
    }
    r = range_of(f);
    for (size_t i = 0; i < r.starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  const std::string part =
      f.w.node("Slice", {f.w.read(f.in_id(0), Channels::last), f.w.integers("starts", r.starts),
                         f.w.integers("ends", r.ends), f.w.integers("axes", axes),
                         f.w.integers("steps", r.steps)});
  f.w.node_to(f.w.made(f.out_id(), Channels::last), "Reshape", {part, sizes_of(f, f.out_id())});
  return Ok{};
}

Status form_split(const FormOp& f) {
  const bool given = f.op.kind == OpKind::split_sizes;
  const size_t data = given ? 0 : 1;
  const int64_t axis = given ? f.op.as<SplitSizesAttrs>().axis : integers_of(f.in(0)).front();
  const int rank = f.in(data).shape.rank();
  const int normal = static_cast<int>(axis < 0 ? axis + rank : axis);
  const Channels order = f.w.order_of(f.in_id(data));
  constexpr int kPlace[] = {0, 2, 3, 1};
  onnx::Node n;
  n.name = f.w.fresh("Split");
  n.op_type = "Split";
  std::vector<int64_t> sizes;
  for (const ValueId id : f.op.outputs) {
    sizes.push_back(f.w.value(id).shape[normal]);
    n.outputs.push_back(f.w.made(id, order));
  }
  n.inputs = {f.w.read(f.in_id(data), order), f.w.integers("sizes", sizes)};
  n.attributes = {integer_attribute("axis", order == Channels::first ? kPlace[normal] : normal)};
  f.w.add(std::move(n));
  return Ok{};
}

Status form_pack(const FormOp& f) {
  const auto& a = f.op.as<PackAttrs>();
  const int axis = a.axis < 0 ? a.axis + f.out().shape.rank() : a.axis;
  Shape one = f.out().shape;
  one[axis] = 1;
  const std::string sizes = f.w.integers("sizes", {one.dims().begin(), one.dims().end()});
  std::vector<std::string> inputs;
  for (const ValueId id : f.op.inputs) {
    inputs.push_back(f.w.node("Reshape", {f.w.read(id, Channels::last), sizes}));
  }
  f.w.node_to(f.w.made(f.out_id(), Channels::last), "Concat", std::move(inputs),
              {integer_attribute("axis", axis)});
  return Ok{};
}

Status form_unpack(const FormOp& f) {
  const auto& a = f.op.as<UnpackAttrs>();
  const int rank = f.in(0).shape.rank();
  const int64_t axis = a.axis < 0 ? a.axis + rank : a.axis;
  for (size_t i = 0; i < f.op.outputs.size(); ++i) {
    const std::string at =
        f.w.constant_of("at", DType::int64, {}, std::vector{static_cast<int64_t>(i)});
    f.w.node_to(f.w.made(f.op.outputs[i], Channels::last), "Gather",
                {f.w.read(f.in_id(0), Channels::last), at}, {integer_attribute("axis", axis)});
  }
  return Ok{};
}

}  // namespace edgetwin::bench
