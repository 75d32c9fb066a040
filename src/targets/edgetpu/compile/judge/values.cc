#include "targets/edgetpu/compile/judge/values.h"

#include <algorithm>

#include "numerics/edgetpu/common.h"
#include "targets/edgetpu/compile/place/map.h"

namespace edgetwin::edgetpu::compiler {
namespace {

numerics::RealRange range_of(Activation a) {
  numerics::RealRange range;
  if (a == Activation::relu || a == Activation::relu6) range.low = 0.0F;
  if (a == Activation::relu6) range.high = 6.0F;
  if (a == Activation::relu_n1_to_1) range = {-1.0F, 1.0F};
  return range;
}

Window window(int64_t in, int64_t out, Padding::Kind kind, int given, int kernel, int stride,
              int dilation) {
  Window w{out, kernel, stride, 0, dilation};
  if (kind == Padding::Kind::given) w.front = given;
  if (kind == Padding::Kind::same) {
    w.front = std::max<int64_t>(0, (out - 1) * stride + w.reach() - in) / 2;
  }
  return w;
}

}  // namespace

bool is_byte(DType type) { return type == DType::uint8 || type == DType::int8; }

int unsigned_zero(const Value& v) {
  return static_cast<int>(v.quant.zero_point_of(0)) + (v.dtype == DType::int8    ? 128
                                                       : v.dtype == DType::int16 ? 32768
                                                                                 : 0);
}

bool is_map(const Value& v) {
  const Shape& s = v.shape;
  return s.rank() == 4 && s[0] == 1 && s[1] * s[2] > 1;
}

bool is_vector(const Value& v) {
  return v.shape.rank() > 0 && v.shape.elements() == v.shape.back(0);
}

bool mixes_positions(const Graph& g, const Op& op) {
  return op.kind == OpKind::resize_bilinear && is_map(g.value(op.inputs[0])) &&
         !changes_nothing(g, op) && !picked_positions(g, op);
}

namespace {

std::optional<Stretch> stretch_of(int64_t in, int64_t out, const ResizeAttrs& a) {
  const bool corners = a.align_corners && out > 1;
  const int64_t from = corners ? in - 1 : in, to = corners ? out - 1 : out;
  if (Stretch::kParts * from % to != 0) return std::nullopt;
  Stretch s{out, 0, Stretch::kParts * from / to};
  if (!a.half_pixel_centers) return s;
  if (s.step % 2 != 0) return std::nullopt;
  s.start = (s.step - Stretch::kParts) / 2;
  return s;
}

}  // namespace

std::optional<Stretches> stretches_of(const Graph& g, const Op& op) {
  const Shape& in = g.value(op.inputs[0]).shape;
  const Shape& out = g.value(op.outputs[0]).shape;
  const auto& a = op.as<ResizeAttrs>();
  const auto y = stretch_of(in[1], out[1], a), x = stretch_of(in[2], out[2], a);
  if (!y || !x) return std::nullopt;
  return Stretches{*y, *x};
}

namespace {

// A long list as several rows, so that all tiles have a part of it: of the numbers of rows that
// divide it the one with which the fullest tile has least. Lists of one length are alike, whatever
// their channels.
Picture list_of(int64_t n, int64_t channels) {
  constexpr int64_t kMostInARow = 1024, kMostRows = 64;
  Picture best{1, n, channels};
  if (n <= kMostInARow) return best;
  int64_t least = part_size(n, 0);
  for (int64_t rows = 2; rows <= kMostRows; ++rows) {
    if (n % rows != 0) continue;
    const int64_t most = part_size(rows, 0) * part_size(n / rows, 0);
    if (most >= least) continue;
    least = most;
    best = {rows, n / rows, channels};
  }
  return best;
}

}  // namespace

std::optional<Picture> picture_of(const Value& v) {
  const Shape& s = v.shape;
  if (is_map(v)) return Picture{s[1], s[2], s[3]};
  if (s.rank() == 3 && s[0] == 1 && s[1] > 1) return list_of(s[1], s[2]);
  if (s.rank() == 3 && s[0] * s[1] > 1) return Picture{s[0], s[1], s[2]};
  // As PACK makes them: rows, columns and what was put between them.
  if (s.rank() == 5 && s.elements(0, 4) > 1) return Picture{s[0] * s[1], s[2] * s[3], s[4]};
  if (s.rank() == 6 && s.elements(0, 5) > 1) {
    return Picture{s[0] * s[1] * s[2], s[3] * s[4], s[5]};
  }
  if (s.rank() == 2 && s[0] > 1) return Picture{1, s[0], s[1]};
  return std::nullopt;
}

bool same_numbers(const Value& a, const Value& b) {
  return a.dtype == b.dtype && a.quant.scale_of(0) == b.quant.scale_of(0) &&
         unsigned_zero(a) == unsigned_zero(b);
}

int64_t repeats(int64_t in, int64_t out) {
  if (out % in != 0) return 0;
  const int64_t k = out / in;
  for (int t = 0; t < kGrid; ++t) {
    if (part_begin(out, t) != k * part_begin(in, t)) return 0;
  }
  return k;
}

bool is_channel_constant(const Value& v, int64_t channels) {
  return v.is_constant() && is_byte(v.dtype) && is_vector(v) && v.shape.elements() == channels;
}

bool is_unary(const Op& op) {
  switch (op.kind) {
    case OpKind::relu:
    case OpKind::relu6:
    case OpKind::relu_n1_to_1:
    case OpKind::logistic:
    case OpKind::tanh:
    case OpKind::quantize:
      return true;
    default:
      return false;
  }
}

bool is_number(const Value& v) {
  if (!v.is_constant() || !is_byte(v.dtype) || v.constant->empty()) return false;
  const Bytes& all = *v.constant;
  return std::all_of(all.begin(), all.end(), [&](std::byte b) { return b == all[0]; });
}

bool takes_constant(const Graph& g, const Op& op, size_t k) {
  if (k >= op.inputs.size() || op.inputs[k] == kAbsent) return false;
  const Value& v = g.value(op.inputs[k]);
  if (!v.is_constant()) return false;
  switch (op.kind) {
    case OpKind::concatenation:
    case OpKind::maximum:
    case OpKind::minimum:
      return true;
    case OpKind::add:
    case OpKind::sub:
      return k == 0 || !is_number(v);
    case OpKind::mul: {
      const auto other = picture_of(g.value(op.inputs[1 - k]));
      return !is_number(v) && !(other && is_channel_constant(v, other->channels));
    }
    default:
      return false;
  }
}

bool same_elements(const Value& a, const Value& b) {
  const int n = std::max(a.shape.rank(), b.shape.rank());
  const auto axis = [&](const Value& v, int k) {
    const int at = k - (n - v.shape.rank());
    return at < 0 ? 1 : v.shape[at];
  };
  for (int k = 0; k < n; ++k) {
    if (axis(a, k) != axis(b, k)) return false;
  }
  return true;
}

ValueId data_of(const Op& op) {
  return op.inputs[op.kind == OpKind::split ? 1 : op.kind == OpKind::transpose_conv ? 2 : 0];
}

bool changes_nothing(const Graph& g, const Op& op) {
  if (only_reshapes(op)) {
    const Value& a = g.value(op.inputs[0]);
    const Value& b = g.value(op.outputs[0]);
    return a.quant == b.quant && a.dtype == b.dtype && a.shape.elements() == b.shape.elements();
  }
  if (op.kind == OpKind::resize_bilinear || op.kind == OpKind::resize_nearest_neighbor) {
    const Value& a = g.value(op.inputs[0]);
    const Value& b = g.value(op.outputs[0]);
    return a.quant == b.quant && a.dtype == b.dtype && a.shape == b.shape;
  }
  if (op.kind != OpKind::quantize) return false;
  const Value& a = g.value(op.inputs[0]);
  const Value& b = g.value(op.outputs[0]);
  return is_byte(a.dtype) && is_byte(b.dtype) && a.shape == b.shape &&
         a.quant.scale_of(0) == b.quant.scale_of(0) && unsigned_zero(a) == unsigned_zero(b);
}

std::optional<SpacePad> space_pad(const Graph& g, const Op& op) {
  if (op.kind != OpKind::pad) return std::nullopt;
  const auto pads = pads_of(g, op);
  if (!pads || !is_map(g.value(op.inputs[0])) ||
      !(g.value(op.inputs[0]).quant == g.value(op.outputs[0]).quant)) {
    return std::nullopt;
  }
  const auto& n = *pads;
  if (n[6] != 0 || n[7] != 0) return std::nullopt;
  for (const ValueId id : g.outputs) {
    if (id == op.outputs[0]) return std::nullopt;
  }
  for (const Op& reader : g.ops) {
    for (size_t k = 0; k < reader.inputs.size(); ++k) {
      if (reader.inputs[k] != op.outputs[0]) continue;
      const bool window =
          reader.kind == OpKind::conv_2d || reader.kind == OpKind::depthwise_conv_2d;
      // Outside the picture a pool reads the byte 0, the least there is.
      const bool pool = reader.kind == OpKind::max_pool_2d && is_map(g.value(reader.outputs[0])) &&
                        unsigned_zero(g.value(op.inputs[0])) == 0;
      if (!window && !pool) return std::nullopt;
    }
  }
  return SpacePad{n[2], n[4], n[3], n[5]};
}

void put_limits(Numbers& n, const Value& out, Activation activation) {
  n.output_zero = unsigned_zero(out);
  const auto clamp =
      numerics::edgetpu::clamp_of(range_of(activation), out.quant.scale_of(0), n.output_zero);
  n.low = clamp.low;
  n.high = clamp.high;
}

bool inside(const Windows& w, const Value& in) {
  const auto within = [](const Window& v, int64_t size) {
    return v.front == 0 && v.stride * (v.outputs - 1) + v.reach() <= size;
  };
  return within(w.y, in.shape[1]) && within(w.x, in.shape[2]);
}

Windows windows_of(const Value& in, const Value& out, const Padding& p, int kernel_h, int kernel_w,
                   int stride_h, int stride_w, int dilation_h, int dilation_w) {
  return {window(in.shape[1], out.shape[1], p.kind, p.top, kernel_h, stride_h, dilation_h),
          window(in.shape[2], out.shape[2], p.kind, p.left, kernel_w, stride_w, dilation_w)};
}

}  // namespace edgetwin::edgetpu::compiler
