// Pooling and resizing.
#include <algorithm>
#include <limits>

#include "transform/tflite_form/windows.h"

namespace edgetwin::transform {
namespace {

// Around pictures of which maxima are taken: below every number of theirs, so that it is the lowest
// integer in int8.
constexpr float kBelowAll = std::numeric_limits<float>::lowest();

// How many elements of the picture each window covers, over how many it has: averages that do not
// count the padding are averages with zeros, divided by this.
std::vector<float> coverage(const Window& w, const Padding& p) {
  std::vector<float> shares;
  const auto covered = [](int64_t out, int64_t stride, int64_t before, int64_t size, int64_t in) {
    const int64_t first = out * stride - before;
    return std::min(first + size, in) - std::max<int64_t>(first, 0);
  };
  for (int64_t y = 0; y < w.out_h; ++y) {
    for (int64_t x = 0; x < w.out_w; ++x) {
      const int64_t here = covered(y, w.stride_h, p.top, w.size_h, w.in_h) *
                           covered(x, w.stride_w, p.left, w.size_w, w.in_w);
      shares.push_back(static_cast<float>(w.size_h * w.size_w) /
                       static_cast<float>(std::max<int64_t>(1, here)));
    }
  }
  return shares;
}

// Padding that is neither VALID nor SAME.
void form_padded_pool(TfliteFormBuilder& f, ValueId x, PoolAttrs a, const Window& w,
                      const Padding& p, Order order) {
  const Op& op = f.op();
  const bool average = op.kind == OpKind::average_pool_2d;
  const bool counted = op.as<PoolAttrs>().count_padding;
  a.padding.kind = Padding::Kind::valid;
  x = padded(f, x, p, average ? 0.0F : kBelowAll);
  const ValueId y = f.result(op.outputs[0], order);
  if (!average || counted) return f.emit(op.kind, a, {x}, {y});
  const ValueId with_zeros = f.between(y, "_with_zeros");
  f.emit(op.kind, a, {x}, {with_zeros});
  const ValueId factors = f.constant(f.value(op.outputs[0]).name + "_factors",
                                     {1, w.out_h, w.out_w, 1}, coverage(w, p));
  f.emit(OpKind::mul, BinaryAttrs{}, {with_zeros, factors}, {y});
}

}  // namespace

void form_pool(TfliteFormBuilder& f) {
  const Op& op = f.op();
  PoolAttrs a = op.as<PoolAttrs>();
  const bool average = op.kind == OpKind::average_pool_2d;
  const Order order = TfliteFormBuilder::channels_last(f.shape(op.inputs[0]).rank());
  ValueId x = f.get(op.inputs[0], order);
  const std::string name = f.value(op.outputs[0]).name;
  if (a.filter_w == 0 && average) {
    const ValueId axes = f.constant(name + "_axes", {1, 2});
    f.emit(OpKind::mean, ReduceAttrs{.keep_dims = true, .noop_without_axes = false}, {x, axes},
           {f.result(op.outputs[0], order)});
    return;
  }
  if (a.filter_w == 0) {
    a.filter_h = static_cast<int>(f.made().value(x).shape[1]);
    a.filter_w = static_cast<int>(f.made().value(x).shape[2]);
  }
  const Window w = window_of(f, a.filter_h, a.filter_w, a.stride_h, a.stride_w);
  const Padding p = a.padding;
  const bool counted = average && a.count_padding;
  a.padding = {};
  a.count_padding = false;
  a.padding.kind = is_none(p) ? Padding::Kind::valid : Padding::Kind::same;
  if (!is_none(p) && (counted || !is_same(w, p))) {
    return form_padded_pool(f, x, a, w, p, order);
  }
  f.emit(op.kind, a, {x}, {f.result(op.outputs[0], order)});
}

void form_resize(TfliteFormBuilder& f) {
  const Op& op = f.op();
  const auto& a = op.as<ScaleAttrs>();
  const Shape& in = f.shape(op.inputs[0]);
  const Shape& out = f.shape(op.outputs[0]);
  if (in.rank() != 4 || in[0] != out[0] || in[1] != out[1]) {
    return f.refuse("only rows and columns of a picture can be resized");
  }
  using Coordinates = ScaleAttrs::Coordinates;
  ResizeAttrs r;
  r.align_corners = a.align_corners;
  const bool whole = out[2] % in[2] == 0 && out[3] % in[3] == 0;
  if (a.mode == ScaleAttrs::Mode::nearest) {
    const bool floor =
        a.coordinates == Coordinates::usual && a.nearest == ScaleAttrs::Nearest::floor;
    if (a.align_corners || (!floor && !(whole && a.coordinates == Coordinates::half_pixel))) {
      return f.refuse("this choice of the nearest element is not TensorFlow Lite's");
    }
  } else if (a.mode == ScaleAttrs::Mode::linear) {
    r.half_pixel_centers = !a.align_corners && a.coordinates != Coordinates::asymmetric;
  } else {
    return f.refuse("TensorFlow Lite resizes to the nearest element or linearly");
  }
  const ValueId x = f.get(op.inputs[0], Order::last);
  const ValueId sizes = f.constant(f.value(op.outputs[0]).name + "_size", {out[2], out[3]});
  f.emit(a.mode == ScaleAttrs::Mode::nearest ? OpKind::resize_nearest_neighbor
                                             : OpKind::resize_bilinear,
         r, {x, sizes}, {f.result(op.outputs[0], Order::last)});
}

}  // namespace edgetwin::transform
