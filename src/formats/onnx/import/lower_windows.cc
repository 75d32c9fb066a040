// Pooling, Resize, and the geometry of windows.
#include <algorithm>
#include <cstring>

#include "formats/onnx/import/importer.h"

namespace edgetwin::onnx {
namespace {

constexpr int64_t kLargest = 1 << 16;  // of a kernel, a stride, a dilation, a border

Result<std::vector<int64_t>> list(Importer& m, const Node& n, const char* attribute, size_t axes,
                                  int64_t least, std::vector<int64_t> otherwise) {
  const auto given = n.integers(attribute);
  if (!given || given->empty()) return otherwise;
  if (given->size() != axes) {
    return m.bad_attribute(n, attribute,
                           "has " + std::to_string(given->size()) + " numbers, " +
                               std::to_string(axes) + " are expected");
  }
  for (const int64_t v : *given) {
    if (v < least || v > kLargest) {
      return m.bad_attribute(n, attribute, "holds " + std::to_string(v));
    }
  }
  return std::vector<int64_t>(*given);
}

// auto_pad, and what ceil_mode adds after the end.
Status resolve_padding(Importer& m, const Node& n, const Shape& in, Spatial& s) {
  const std::string automatic = n.text("auto_pad").value_or("NOTSET");
  const bool same = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!same && automatic != "NOTSET" && automatic != "VALID") {
    return m.bad_attribute(n, "auto_pad", "is '" + automatic + "'");
  }
  const bool ceil = n.integer("ceil_mode").value_or(0) != 0;
  for (size_t i = 0; i < s.kernel.size(); ++i) {
    const int64_t size = in[static_cast<int>(i) + 2];
    const int64_t reach = (s.kernel[i] - 1) * s.dilations[i] + 1;
    if (same) {
      const int64_t out = (size + s.strides[i] - 1) / s.strides[i];
      const int64_t total = std::max<int64_t>(0, (out - 1) * s.strides[i] + reach - size);
      s.before[i] = automatic == "SAME_UPPER" ? total / 2 : total - total / 2;
      s.after[i] = total - s.before[i];
    } else if (automatic == "VALID") {
      s.before[i] = s.after[i] = 0;
    }
    const int64_t room = size + s.before[i] + s.after[i] - reach;
    if (!ceil || room < 0) continue;
    int64_t out = (room + s.strides[i] - 1) / s.strides[i] + 1;
    // A last window that starts in the padding after the end is left out.
    if ((out - 1) * s.strides[i] >= size + s.before[i]) --out;
    s.after[i] = std::max(s.after[i], (out - 1) * s.strides[i] + reach - size - s.before[i]);
  }
  return Ok{};
}

}  // namespace

Result<Spatial> spatial(Importer& m, const Node& n, const Shape& in, std::vector<int64_t> kernel) {
  const int axes = in.rank() - 2;
  if (axes < 1 || axes > 2) {
    return m.error(n, ErrorCode::onnx_attribute,
                   "the input is " + to_string(in) + "; windows over one or two axes are read");
  }
  const auto count = static_cast<size_t>(axes);
  Spatial s;
  EDGETWIN_TRY_ASSIGN(s.kernel, list(m, n, "kernel_shape", count, 1, kernel));
  if (!kernel.empty() && s.kernel != kernel) {
    return m.bad_attribute(n, "kernel_shape", "is not the size of the filter");
  }
  if (s.kernel.size() != count) return m.bad_attribute(n, "kernel_shape", "is missing");
  const std::vector<int64_t> ones(count, 1);
  EDGETWIN_TRY_ASSIGN(s.strides, list(m, n, "strides", count, 1, ones));
  EDGETWIN_TRY_ASSIGN(s.dilations, list(m, n, "dilations", count, 1, ones));
  EDGETWIN_TRY_ASSIGN(const auto pads,
                      list(m, n, "pads", count * 2, 0, std::vector<int64_t>(count * 2, 0)));
  s.before.assign(pads.begin(), pads.begin() + axes);
  s.after.assign(pads.begin() + axes, pads.end());
  EDGETWIN_TRY(resolve_padding(m, n, in, s));
  return s;
}

Padding padding_of(const Spatial& s) {
  Padding p;
  p.kind = Padding::Kind::given;
  p.left = static_cast<int>(s.before.back());
  p.right = static_cast<int>(s.after.back());
  if (s.before.size() == 2) {
    p.top = static_cast<int>(s.before[0]);
    p.bottom = static_cast<int>(s.after[0]);
  }
  return p;
}

Status lower_pool(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  EDGETWIN_TRY_ASSIGN(const Spatial s, spatial(m, n, m.shape(x), {}));
  const bool indices = n.outputs.size() > 1 && !n.outputs[1].empty();
  if (indices)
    return m.error(n, ErrorCode::onnx_operator, "the indices of maxima are not computed");
  if (std::any_of(s.dilations.begin(), s.dilations.end(), [](int64_t d) { return d != 1; })) {
    return pool_by_taps(m, n, s);
  }
  const bool average = n.op_type == "AveragePool";
  Op op = m.make(n, average ? OpKind::average_pool_2d : OpKind::max_pool_2d);
  PoolAttrs a;
  a.padding = padding_of(s);
  const bool flat = s.kernel.size() == 1;
  a.stride_h = flat ? 1 : static_cast<int>(s.strides[0]);
  a.stride_w = static_cast<int>(s.strides.back());
  a.filter_h = flat ? 1 : static_cast<int>(s.kernel[0]);
  a.filter_w = static_cast<int>(s.kernel.back());
  a.count_padding = average && n.integer("count_include_pad").value_or(0) != 0;
  op.attrs = a;
  op.inputs = {x};
  Node one = n;
  one.outputs.resize(1);
  return m.finish(one, std::move(op));
}

Status lower_global_pool(Importer& m, const Node& n) {
  const bool average = n.op_type == "GlobalAveragePool";
  Op op = m.make(n, average ? OpKind::average_pool_2d : OpKind::max_pool_2d);
  PoolAttrs a;
  a.padding.kind = Padding::Kind::given;
  a.stride_h = a.stride_w = 1;  // a filter of size 0 is the whole picture
  op.attrs = a;
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  op.inputs = {x};
  return m.finish(n, std::move(op));
}

namespace {

Status take_coordinates(Importer& m, const Node& n, ScaleAttrs& a) {
  using Coordinates = ScaleAttrs::Coordinates;
  const std::string mode = n.text("coordinate_transformation_mode").value_or("half_pixel");
  const bool nearest = a.mode == ScaleAttrs::Mode::nearest;
  if (mode == "align_corners") {
    a.align_corners = true;
  } else if (mode == "asymmetric") {
    a.coordinates = nearest ? Coordinates::usual : Coordinates::asymmetric;
  } else if (mode == "half_pixel") {
    a.coordinates = nearest ? Coordinates::half_pixel : Coordinates::usual;
  } else if (mode == "pytorch_half_pixel") {
    a.coordinates = Coordinates::pytorch_half_pixel;
  } else {
    return m.bad_attribute(n, "coordinate_transformation_mode", "is '" + mode + "'");
  }
  if (!nearest) return Ok{};
  using Nearest = ScaleAttrs::Nearest;
  const std::string rule = n.text("nearest_mode").value_or("round_prefer_floor");
  if (rule == "floor") {
    a.nearest = Nearest::floor;
  } else if (rule == "ceil") {
    a.nearest = Nearest::ceil;
  } else if (rule == "round_prefer_floor") {
    a.nearest = Nearest::round_prefer_floor;
  } else if (rule == "round_prefer_ceil") {
    a.nearest = Nearest::round_prefer_ceil;
  } else {
    return m.bad_attribute(n, "nearest_mode", "is '" + rule + "'");
  }
  return Ok{};
}

// One number per axis of the tensor; those that `axes` does not name keep `otherwise`.
template <class T>
Result<std::vector<T>> per_axis(Importer& m, const Node& n, std::vector<T> given,
                                std::vector<T> otherwise) {
  const auto axes = n.integers("axes");
  if (axes && axes->size() == given.size()) {
    const auto rank = static_cast<int64_t>(otherwise.size());
    for (size_t i = 0; i < axes->size(); ++i) {
      const int64_t axis = (*axes)[i] < 0 ? (*axes)[i] + rank : (*axes)[i];
      if (axis < 0 || axis >= rank) return m.bad_attribute(n, "axes", "names an axis too many");
      otherwise[static_cast<size_t>(axis)] = given[i];
    }
    return otherwise;
  }
  if (!axes && given.size() == otherwise.size()) return given;
  return m.bad_attribute(n, "scales or sizes", "are not one per axis");
}

Status take_sizes(Importer& m, const Node& n, const Shape& in, ScaleAttrs& a) {
  const size_t at = m.opset() < 11 ? 1 : 2;
  const Value* scales = m.constant(n, at);
  const auto rank = static_cast<size_t>(in.rank());
  if (scales != nullptr && scales->shape.elements() > 0) {
    if (scales->dtype != DType::float32) return m.bad_attribute(n, "scales", "are not real");
    std::vector<float> given(static_cast<size_t>(scales->shape.elements()));
    std::memcpy(given.data(), scales->constant->data(), given.size() * sizeof(float));
    EDGETWIN_TRY_ASSIGN(a.scales, per_axis(m, n, std::move(given), std::vector<float>(rank, 1.0F)));
    return Ok{};
  }
  EDGETWIN_TRY_ASSIGN(auto sizes, m.integers(n, 3, "sizes"));
  if (!sizes) return m.bad_attribute(n, "scales and sizes", "are both missing or computed");
  if (n.text("keep_aspect_ratio_policy").value_or("stretch") != "stretch") {
    return m.bad_attribute(n, "keep_aspect_ratio_policy", "must be 'stretch'");
  }
  std::vector<int64_t> own(in.dims().begin(), in.dims().end());
  EDGETWIN_TRY_ASSIGN(a.sizes, per_axis(m, n, std::move(*sizes), std::move(own)));
  return Ok{};
}

}  // namespace

Status lower_resize(Importer& m, const Node& n) {
  EDGETWIN_TRY_ASSIGN(const ValueId x, m.input(n, 0));
  const Shape in = m.shape(x);
  ScaleAttrs a;
  const std::string mode = n.text("mode").value_or("nearest");
  if (mode == "cubic")
    return m.bad_attribute(
        n, "mode", "is 'cubic', which none of the chips computes; nearest and linear are read");
  if (mode != "nearest" && mode != "linear") return m.bad_attribute(n, "mode", "is " + mode);
  a.mode = mode == "nearest" ? ScaleAttrs::Mode::nearest : ScaleAttrs::Mode::linear;
  for (const char* flag : {"antialias", "exclude_outside"}) {
    if (n.integer(flag).value_or(0) != 0) return m.bad_attribute(n, flag, "must be 0");
  }
  EDGETWIN_TRY(take_coordinates(m, n, a));
  EDGETWIN_TRY(take_sizes(m, n, in, a));
  Op op = m.make(n, OpKind::resize);
  op.attrs = std::move(a);
  op.inputs = {x};
  return m.finish(n, std::move(op));
}

}  // namespace edgetwin::onnx
