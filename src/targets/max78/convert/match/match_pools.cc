// Pooling, and means and maxima over whole pictures.
#include <algorithm>
#include <cstring>

#include "targets/max78/convert/match/matcher.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Pooling;

constexpr int kMostBorder = 6;  // zeros on both sides of an axis

Padding line_padding(const Padding& p) {
  Padding rows = p;
  rows.top = p.left;
  rows.bottom = p.right;
  rows.left = rows.right = 0;
  return rows;
}

// A border of an even number of zeros, the same for rows and columns: whether what it has beyond
// the zeros that are asked for makes no further window.
bool same_windows(Size2 dim, Size2 size, Size2 stride, const Padding& p) {
  const int rows = p.top + p.bottom, columns = p.left + p.right;
  const int made = (std::max(rows, columns) + 1) / 2 * 2;
  if (made > kMostBorder) return false;
  const auto windows = [](int n, int k, int s) { return (n - k) / s + 1; };
  const bool same_rows =
      windows(dim.h + rows, size.h, stride.h) == windows(dim.h + made, size.h, stride.h);
  return same_rows && (dim.w == 1 || windows(dim.w + columns, size.w, stride.w) ==
                                         windows(dim.w + made, size.w, stride.w));
}

std::string text(Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); }

}  // namespace

void Matcher::window(size_t op, Flow flow, Pooling kind, Size2 size, Size2 stride) {
  if (flow.pending()) flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  for (const int v : {size.h, size.w, stride.h, stride.w}) {
    if (v > 16) {
      return unknown(op, "a pooling window of " + text(size) + " with strides of " + text(stride) +
                             " exceeds 16");
    }
  }
  if (stride.h != stride.w && flow.dim.w > 1) {
    return unknown(op, "a pooling stride of " + text(stride) + " is not square");
  }
  flow.pooling = kind;
  flow.pool = size;
  flow.stride = stride;
  pass_on(op, std::move(flow));
}

void Matcher::pool(size_t op, Flow flow) {
  const auto& a = at(op).as<PoolAttrs>();
  const auto kind = at(op).kind == OpKind::max_pool_2d ? Pooling::max : Pooling::average;
  if (flow.vector) return unknown(op, "pools what is in one row already");
  const bool whole = a.filter_h == 0 || a.filter_w == 0;
  if (flow.pending()) flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  if (whole) return window(op, flow, kind, flow.dim, {1, 1});
  const bool line = value(at(op).inputs[0]).shape.rank() == 3;
  const Size2 size = line ? Size2{a.filter_w, 1} : Size2{a.filter_h, a.filter_w};
  const Size2 stride = line ? Size2{a.stride_w, 1} : Size2{a.stride_h, a.stride_w};
  const Padding& p = a.padding;
  // Zeros change no maximum of numbers from 0 on, and a mean that counts them has them.
  const bool zeros = kind == Pooling::max ? not_negative(flow) : a.count_padding;
  const bool some = p.top + p.bottom + p.left + p.right != 0;
  if (p.kind == Padding::Kind::given && some && zeros && !flow.padded &&
      same_windows(flow.dim, size, stride, line ? line_padding(p) : p)) {
    flow = bordered(op, flow, p);
    return window(op, std::move(flow), kind, size, stride);
  }
  if (p.kind != Padding::Kind::given || p.top + p.bottom + p.left + p.right != 0) {
    return unknown(op, "pools with padding (" + std::to_string(p.top) + ", " +
                           std::to_string(p.left) + ", " + std::to_string(p.bottom) + ", " +
                           std::to_string(p.right) + "); the device pools without");
  }
  if (flow.padded)
    return unknown(op, "zeros are put around a picture in front of convolutions only");
  window(op, std::move(flow), kind, size, stride);
}

// Mean or largest over all pixels.
void Matcher::reduce(size_t op, Flow flow) {
  const Op& o = at(op);
  const Shape& in = value(o.inputs[0]).shape;
  std::vector<int64_t> axes;
  if (o.has_input(1)) {
    const Value& v = value(o.inputs[1]);
    axes.resize(static_cast<size_t>(v.shape.elements()));
    if (v.dtype == DType::int64) std::memcpy(axes.data(), v.constant->data(), axes.size() * 8);
  }
  for (int64_t& a : axes) a += a < 0 ? in.rank() : 0;
  std::sort(axes.begin(), axes.end());
  std::vector<int64_t> wanted;
  for (int i = 2; i < in.rank(); ++i) wanted.push_back(i);
  if (flow.vector || wanted.empty() || axes != wanted) {
    return unknown(op, "reduces other axes than all rows and columns");
  }
  if (flow.pending()) flow = settled(op, std::move(flow), at(op).inputs[0]);
  if (!flow.known) return;
  const auto kind = o.kind == OpKind::reduce_max ? Pooling::max : Pooling::average;
  const Size2 whole = flow.dim;
  window(op, std::move(flow), kind, whole, {1, 1});
}

}  // namespace edgetwin::max78
