// What becomes a convolution whose weights only choose, scale or spread: constants per channel,
// parts of the channels, a border of zeros, pictures of twice the size.
#include <algorithm>
#include <limits>

#include "targets/max78/convert/match/matcher.h"

namespace edgetwin::max78 {

using ai8x::Operator;

// One number for each channel; empty where the constant is neither that nor one number.
std::vector<float> Matcher::per_channel(ValueId constant, int channels, int rank, bool last) const {
  std::vector<float> c = floats(constant);
  const Shape& shape = value(constant).shape;
  const auto n = static_cast<size_t>(channels);
  if (c.size() == 1) return std::vector<float>(n, c[0]);
  // The axis of the channels, counted from the end.
  const int axis = shape.rank() - (last ? 1 : rank - 1);
  if (c.size() == n && axis >= 0 && shape[axis] == static_cast<int64_t>(n)) return c;
  return {};
}

bool Matcher::not_negative(const Flow& flow) const {
  return std::all_of(flow.tensors.begin(), flow.tensors.end(), [&](int t) {
    const int p = draft_.tensor(t).producer;
    return p >= 0 && draft_.layer(p).activation != ai8x::Activation::none;
  });
}

// Two rows and two columns of zeros, `before` of them above and left: a filter of 3x3 with one tap,
// over a picture with two zeros on all sides.
Flow Matcher::border_layer(size_t op, const Flow& flow, Size2 before) {
  const std::string name = layer_name(op) + "_border";
  DraftLayer l = identity_layer(draft_, flow.tensors, name, label(op));
  const int channels = draft_.channels_of(flow.tensors);
  l.in_dim = flow.dim;
  const bool line = value(at(op).inputs[0]).shape.rank() == 3;
  const size_t taps = line ? 3 : 9;
  l.op = line ? Operator::conv1d : Operator::conv2d;
  l.kernel = line ? Size2{3, 1} : Size2{3, 3};
  l.pad = line ? Size2{2, 0} : Size2{2, 2};
  const bool apart = !draft_.small() && flow.tensors.size() == 1;
  const std::vector<float> one =
      apart ? std::vector<float>(static_cast<size_t>(channels), 1.0F) : std::move(l.weights);
  if (apart) l.groups = channels;
  l.weights.assign(one.size() * taps, 0.0F);
  const int tap = line ? 2 - before.h : (2 - before.h) * 3 + 2 - before.w;
  for (size_t i = 0; i < one.size(); ++i) l.weights[i * taps + static_cast<size_t>(tap)] = one[i];
  return add_layer(std::move(l), kAbsent, channels, {flow.dim.h + 2, line ? 1 : flow.dim.w + 2});
}

// At least the zeros that are asked for, above and left exactly so many: each layer adds two.
Flow Matcher::bordered(size_t op, Flow flow, const Padding& zeros) {
  const bool line = value(at(op).inputs[0]).shape.rank() == 3;
  Size2 before = line ? Size2{zeros.left, 0} : Size2{zeros.top, zeros.left};
  const Size2 all = line ? Size2{zeros.left + zeros.right, 0}
                         : Size2{zeros.top + zeros.bottom, zeros.left + zeros.right};
  const int layers = (std::max(all.h, all.w) + 1) / 2;
  for (int i = 0; i < layers; ++i) {
    const Size2 now = {std::min(before.h, 2), line ? 1 : std::min(before.w, 2)};
    flow = border_layer(op, flow, now);
    before = {before.h - now.h, before.w - now.w};
  }
  draft_.note(Severity::note, label(op),
              layers == 1 ? "its border of zeros is written by a convolution before it"
                          : "its border of zeros is written by " + std::to_string(layers) +
                                " convolutions before it");
  return flow;
}

// x * a + b with constants per channel, where no layer before takes them up.
bool Matcher::affine(size_t op) {
  const Op& o = at(op);
  const bool first = value(o.inputs[0]).is_constant();
  const ValueId constant = o.inputs[first ? 0 : 1];
  const ValueId data = o.inputs[first ? 1 : 0];
  if (!value(constant).is_constant() || value(constant).dtype != DType::float32) return false;
  if (first && o.kind == OpKind::div) return false;
  const Flow f = flow(data);
  if (!f.known) return true;
  if (f.vector || f.padded || !(value(data).shape == value(o.outputs[0]).shape)) return false;
  const int channels = draft_.channels_of(f.tensors);
  const std::vector<float> c = per_channel(constant, channels, value(data).shape.rank(), f.last);
  if (c.empty()) return false;
  DraftLayer l = identity_layer(draft_, f.tensors, layer_name(op), label(op));
  l.identity = false;
  l.pooling = f.pooling;
  l.pool = f.pool;
  l.pool_stride = f.stride;
  l.in_dim = f.dim;
  const auto n = static_cast<size_t>(channels);
  const bool sum = o.kind == OpKind::add || o.kind == OpKind::sub;
  if (sum) l.bias.assign(n, 0.0F);
  for (size_t i = 0; i < n; ++i) {
    float& w = l.weights[i * n + i];
    if (!sum) w = o.kind == OpKind::div ? 1.0F / c[i] : c[i];
    if (sum) l.bias[i] = o.kind == OpKind::sub && !first ? -c[i] : c[i];
    if (o.kind == OpKind::sub && first) w = -1.0F;
  }
  finish(op, std::move(l), channels, f.pooled());
  return true;
}

void Matcher::choose_channels(size_t op, const Flow& flow, ValueId result, int64_t first) {
  DraftLayer l = identity_layer(draft_, flow.tensors, layer_name(op), label(op));
  const auto all = static_cast<size_t>(draft_.channels_of(flow.tensors));
  const auto n = static_cast<size_t>(value(result).shape[1]);
  l.in_dim = flow.dim;
  l.pooling = flow.pooling;
  l.pool = flow.pool;
  l.pool_stride = flow.stride;
  l.weights.assign(n * all, 0.0F);
  for (size_t i = 0; i < n; ++i) l.weights[i * all + i + static_cast<size_t>(first)] = 1.0F;
  flows_[result] = add_layer(std::move(l), result, static_cast<int>(n), flow.pooled());
}

void Matcher::split(size_t op, const Flow& flow) {
  const Op& o = at(op);
  const auto& a = o.as<SplitSizesAttrs>();
  const int rank = value(o.inputs[0]).shape.rank();
  if ((a.axis != 1 && a.axis != 1 - rank) || flow.vector || flow.padded) {
    return unknown(op, "splits along axis " + std::to_string(a.axis) +
                           "; a layer chooses channels, nothing else");
  }
  int64_t first = 0;
  for (const ValueId out : o.outputs) {
    choose_channels(op, flow, out, first);
    first += value(out).shape[1];
  }
}

void Matcher::slice(size_t op, const Flow& flow) {
  const Op& o = at(op);
  const auto& a = o.as<SliceStepsAttrs>();
  const Shape& in = value(o.inputs[0]).shape;
  const Shape& out = value(o.outputs[0]).shape;
  bool channels = !flow.vector && !flow.padded && in.rank() == out.rank() && in.rank() >= 2;
  int64_t first = 0;
  for (int i = 0; channels && i < in.rank(); ++i) channels = i == 1 || in[i] == out[i];
  for (size_t i = 0; channels && i < a.axes.size(); ++i) {
    const int64_t axis = a.axes[i] < 0 ? a.axes[i] + in.rank() : a.axes[i];
    if (axis != 1) continue;
    channels = a.steps[i] == 1;
    first = std::clamp<int64_t>(a.starts[i] < 0 ? a.starts[i] + in[1] : a.starts[i], 0, in[1]);
  }
  if (!channels)
    return unknown(op, "takes a part of the rows or columns; a layer chooses channels");
  choose_channels(op, flow, o.outputs[0], first);
}

// The nearest element of a picture of half the size: a transposed convolution with four ones.
void Matcher::resize(size_t op, const Flow& flow) {
  const Op& o = at(op);
  const auto& a = o.as<ScaleAttrs>();
  const Shape& in = value(o.inputs[0]).shape;
  const Shape& out = value(o.outputs[0]).shape;
  const bool twice =
      in.rank() == 4 && out[1] == in[1] && out[2] == 2 * in[2] && out[3] == 2 * in[3];
  using Nearest = ScaleAttrs::Nearest;
  using Coordinates = ScaleAttrs::Coordinates;
  // Twice the size: both ways of counting take every element twice.
  const bool plain = a.coordinates == Coordinates::usual && a.nearest == Nearest::floor;
  const bool half =
      a.coordinates == Coordinates::half_pixel &&
      (a.nearest == Nearest::round_prefer_floor || a.nearest == Nearest::round_prefer_ceil);
  if (!twice || a.mode != ScaleAttrs::Mode::nearest || a.align_corners || (!plain && !half) ||
      flow.vector || flow.padded) {
    return unknown(op, "makes " + to_string(out) + " of " + to_string(in) +
                           "; the device doubles rows and columns, each element taken twice");
  }
  DraftLayer l = identity_layer(draft_, flow.tensors, layer_name(op), label(op));
  const std::vector<float> one = std::move(l.weights);
  l.op = Operator::conv_transpose2d;
  l.kernel = {3, 3};
  l.pad = {1, 1};
  l.output_pad = 1;
  l.in_dim = flow.dim;
  l.pooling = flow.pooling;
  l.pool = flow.pool;
  l.pool_stride = flow.stride;
  l.weights.assign(one.size() * 9, 0.0F);
  for (size_t i = 0; i < one.size(); ++i) {
    for (const size_t tap : {size_t{0}, size_t{1}, size_t{3}, size_t{4}})
      l.weights[i * 9 + tap] = one[i];
  }
  const Size2 size = flow.pooled();
  finish(op, std::move(l), draft_.channels_of(flow.tensors), {2 * size.h, 2 * size.w});
}

}  // namespace edgetwin::max78
