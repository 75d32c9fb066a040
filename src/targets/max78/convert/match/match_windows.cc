// Convolutions.
#include <algorithm>

#include "targets/max78/convert/match/matcher.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Operator;

// A filter of `taps` taps inside a longer one, so that the same zeros stand on both sides: the
// filter, its offset in the longer one, and the padding.
struct Fit {
  int taps = 0, offset = 0, pad = 0;
};

// The smallest padding P on both sides that covers `before` and `after`; the filter grows by what
// stands there too much.
Fit symmetric(int taps, int before, int after) {
  const int pad = std::max(before, after);
  return {taps + 2 * pad - before - after, pad - before, pad};
}

// Into exactly `wanted` taps.
std::optional<Fit> into(int wanted, int taps, int before, int after) {
  for (int pad = 0; pad <= 2; ++pad) {
    const int offset = pad - before;
    const bool same_size = wanted - 2 * pad == taps - before - after;
    if (same_size && offset >= 0 && offset + taps <= wanted) return Fit{wanted, offset, pad};
  }
  return std::nullopt;
}

struct Planes {
  int count = 0;  // outputs times inputs of a group
  Size2 from, to, offset;
};

std::vector<float> grown(const std::vector<float>& weights, const Planes& p) {
  if (p.from == p.to) return weights;
  std::vector<float> out(static_cast<size_t>(p.count) * static_cast<size_t>(p.to.h * p.to.w));
  for (int i = 0; i < p.count; ++i) {
    for (int y = 0; y < p.from.h; ++y) {
      for (int x = 0; x < p.from.w; ++x) {
        const int to = (i * p.to.h + y + p.offset.h) * p.to.w + x + p.offset.w;
        out[static_cast<size_t>(to)] =
            weights[static_cast<size_t>((i * p.from.h + y) * p.from.w + x)];
      }
    }
  }
  return out;
}

std::string sizes(const Shape& filter, const Padding& p) {
  return "filter " + to_string(filter) + ", zeros above " + std::to_string(p.top) + ", left " +
         std::to_string(p.left) + ", below " + std::to_string(p.bottom) + ", right " +
         std::to_string(p.right);
}

Padding together(const Padding& a, const Flow& flow) {
  Padding p = a;
  p.kind = Padding::Kind::given;
  if (flow.padded) {
    p.top += flow.pad.top;
    p.left += flow.pad.left;
    p.bottom += flow.pad.bottom;
    p.right += flow.pad.right;
  }
  return p;
}

int window_int(int64_t n) { return static_cast<int>(n); }

}  // namespace

// Grouped weights with zeros between the groups, where the device has no groups.
void Matcher::groups(size_t op, DraftLayer& layer, int channels) {
  const Value& filter = value(at(op).inputs[1]);
  const int out = window_int(filter.shape[0]);
  const int per = window_int(filter.shape[1]);
  const int count = channels / per;
  if (count == 1) return;
  const bool depthwise = count == channels && out == channels && !draft_.small();
  if (depthwise && layer.op != Operator::conv_transpose2d) {
    layer.groups = channels;
    return;
  }
  const auto taps = static_cast<size_t>(layer.taps());
  std::vector<float> dense(static_cast<size_t>(out) * static_cast<size_t>(channels) * taps);
  const int outs = out / count;
  for (int o = 0; o < out; ++o) {
    for (int i = 0; i < per; ++i) {
      const auto from = static_cast<size_t>(o * per + i) * taps;
      const auto to = static_cast<size_t>(o * channels + o / outs * per + i) * taps;
      std::copy_n(layer.weights.begin() + static_cast<std::ptrdiff_t>(from), taps,
                  dense.begin() + static_cast<std::ptrdiff_t>(to));
    }
  }
  layer.weights = std::move(dense);
  draft_.note(Severity::note, label(op),
              std::to_string(count) + " groups are written as one with zeros between them" +
                  (draft_.small() ? "; the MAX78002 computes channels apart" : ""));
}

bool Matcher::window_filter(size_t op, const Flow& flow, DraftLayer& l) {
  const auto& a = at(op).as<Conv2DAttrs>();
  const Value& filter = value(at(op).inputs[1]);
  const Size2 k = {window_int(filter.shape[2]), window_int(filter.shape[3])};
  const Padding p = together(a.padding, flow);
  if (a.dilation_h != 1 || a.dilation_w != 1) {
    unknown(op, "a filter with its taps apart (dilations " + std::to_string(a.dilation_h) + ", " +
                    std::to_string(a.dilation_w) + ") has one dimension on the device");
    return false;
  }
  if (a.stride_h != a.stride_w || a.stride_h > 16) {
    unknown(op, "strides of " + std::to_string(a.stride_h) + " and " + std::to_string(a.stride_w) +
                    " are not equal");
    return false;
  }
  const bool single = k == Size2{1, 1} && p.top + p.left + p.bottom + p.right == 0;
  l.kernel = single ? Size2{1, 1} : Size2{3, 3};
  const auto rows = into(l.kernel.h, k.h, p.top, p.bottom);
  const auto columns = into(l.kernel.w, k.w, p.left, p.right);
  if (!rows || !columns) {
    unknown(op, "the device has filters of 1x1 and 3x3 with 0 to 2 zeros on all sides; " +
                    sizes(filter.shape, p) + " does not fit into one");
    return false;
  }
  l.pad = {rows->pad, columns->pad};
  if (l.pad.h != l.pad.w) {
    unknown(op,
            "a filter with other zeros above than beside has no layer: " + sizes(filter.shape, p));
    return false;
  }
  const Planes planes = {
      window_int(filter.shape[0] * filter.shape[1]), k, l.kernel, {rows->offset, columns->offset}};
  l.weights = grown(floats(at(op).inputs[1]), planes);
  return true;
}

bool Matcher::line_filter(size_t op, const Flow& flow, DraftLayer& l) {
  const auto& a = at(op).as<Conv2DAttrs>();
  const Value& filter = value(at(op).inputs[1]);
  const Padding p = together(a.padding, flow);
  const int taps = window_int(filter.shape[2]);
  l.dilation = {a.dilation_w, 1};
  Fit fit = symmetric(taps, p.left, p.right);
  if (a.dilation_w > 1) fit = {taps, 0, std::max(p.left, p.right)};
  const bool even = p.left == p.right || a.dilation_w == 1;
  if (!even || fit.taps > 9 || fit.pad > 2 || fit.pad >= fit.taps) {
    unknown(op, "a filter of one dimension has 1 to 9 taps and 0 to 2 zeros on both sides");
    draft_.misfits.back().details.push_back(
        std::to_string(taps) + " taps, " + std::to_string(p.left) + " zeros before and " +
        std::to_string(p.right) + " after: " + std::to_string(fit.taps) + " taps with " +
        std::to_string(fit.pad) + " on both sides");
    return false;
  }
  l.kernel = {fit.taps, 1};
  l.pad = {fit.pad, 0};
  const Planes planes = {
      window_int(filter.shape[0] * filter.shape[1]), {taps, 1}, l.kernel, {fit.offset, 0}};
  l.weights = grown(floats(at(op).inputs[1]), planes);
  return true;
}

// InsertZeros and a convolution: ConvTranspose with a stride of 2. The device's has 3x3 taps, P
// zeros above and left, one more below and right.
bool Matcher::transposed_filter(size_t op, const Flow& flow, DraftLayer& l) {
  const InsertZerosAttrs& zeros = stretched_.at(at(op).inputs[0]);
  const auto& a = at(op).as<Conv2DAttrs>();
  const Value& filter = value(at(op).inputs[1]);
  const Padding p = together(a.padding, flow);
  const bool two = zeros.stride == std::vector<int64_t>{2, 2};
  if (!two || filter.shape.rank() != 4 || a.dilation_h != 1 || a.dilation_w != 1) {
    unknown(op, "the device's transposed convolution has a stride of 2 in two dimensions");
    return false;
  }
  const Size2 k = {window_int(filter.shape[2]), window_int(filter.shape[3])};
  const auto fit = [&](int taps, int before, int after, size_t axis) {
    const int behind = after + window_int(zeros.output_padding[axis]) - 1;
    return into(3, taps, before, behind);
  };
  const auto rows = fit(k.h, p.top, p.bottom, 0);
  const auto columns = fit(k.w, p.left, p.right, 1);
  if (!rows || !columns || rows->pad != columns->pad) {
    unknown(op,
            "the device's transposed convolution has 3x3 taps, a padding of 0 to 2 and an "
            "output padding of 1; " +
                sizes(filter.shape, p) +
                " in the stretched picture "
                "does not fit into it");
    return false;
  }
  l.op = Operator::conv_transpose2d;
  l.kernel = {3, 3};
  l.pad = {2 - rows->pad, 2 - columns->pad};
  l.output_pad = 1;
  const Planes planes = {
      window_int(filter.shape[0] * filter.shape[1]), k, l.kernel, {rows->offset, columns->offset}};
  l.weights = grown(floats(at(op).inputs[1]), planes);
  return true;
}

// A filter as large as the picture is a linear layer over all of it.
bool Matcher::whole_picture(size_t op, const Flow& flow, DraftLayer& l) {
  const auto& a = at(op).as<Conv2DAttrs>();
  const Value& filter = value(at(op).inputs[1]);
  const bool line = filter.shape.rank() == 3;
  const Size2 k = line ? Size2{window_int(filter.shape[2]), 1}
                       : Size2{window_int(filter.shape[2]), window_int(filter.shape[3])};
  const Padding p = together(a.padding, flow);
  const Size2 size = flow.pending() ? flow.pooled() : flow.dim;
  const int most = k.h * k.w;
  const bool native = line ? k.h <= 9 : k == Size2{3, 3} || k == Size2{1, 1};
  if (native || !(k == size) || most > 256 || p.top + p.left + p.bottom + p.right != 0)
    return false;
  if (filter.shape[1] != draft_.channels_of(flow.tensors)) return false;
  l.op = Operator::linear;
  l.flatten = true;
  l.weights = floats(at(op).inputs[1]);
  return true;
}

void Matcher::convolution(size_t op, Flow flow) {
  const Op& o = at(op);
  if (flow.vector) return unknown(op, "convolves what is in one row");
  const Value& filter = value(o.inputs[1]);
  const auto& a = o.as<Conv2DAttrs>();
  const bool line = filter.shape.rank() == 3;
  const bool transposed = stretched_.count(o.inputs[0]) != 0;
  const int out = window_int(filter.shape[0]);
  DraftLayer probe;
  const bool whole = !transposed && whole_picture(op, flow, probe);
  if (whole && flow.pending()) {
    flow = settled(op, flow, at(op).inputs[0]);
    if (!flow.known) return;
  }
  if (!line && !transposed && !whole) {
    const Padding zeros = together(a.padding, flow);
    if (folded(op, flow, zeros) || wide_window(op, flow, zeros)) return;
  }
  DraftLayer l = start_layer(op, flow, line ? Operator::conv1d : Operator::conv2d);
  if (whole) {
    l.op = Operator::linear;
    l.flatten = true;
    l.weights = std::move(probe.weights);
    if (o.has_input(2)) l.bias = floats(o.inputs[2]);
    finish(op, std::move(l), out, {1, 1});
    return;
  }
  const bool fits = transposed ? transposed_filter(op, flow, l)
                    : line     ? line_filter(op, flow, l)
                               : window_filter(op, flow, l);
  if (!fits) return;
  groups(op, l, draft_.channels_of(flow.tensors));
  if (o.has_input(2)) l.bias = floats(o.inputs[2]);
  const Size2 in = flow.pooled();
  Size2 dim = {in.h + 2 * l.pad.h - l.dilation.h * (l.kernel.h - 1),
               in.w + 2 * l.pad.w - l.dilation.w * (l.kernel.w - 1)};
  if (transposed) dim = {in.h * 2 + 2 - 2 * l.pad.h, in.w * 2 + 2 - 2 * l.pad.w};
  const Size2 stride = line ? Size2{a.stride_w, 1} : Size2{a.stride_h, a.stride_w};
  if (line) dim.w = 1;
  // The picture before this layer may be thinned out at once where one tap is all there is.
  const bool single = l.kernel == Size2{1, 1} && !flow.pending() && !transposed;
  if (single && (stride.h > 1 || stride.w > 1)) {
    l.pool_stride = stride;
    finish(op, std::move(l), out,
           {(dim.h + stride.h - 1) / stride.h, (dim.w + stride.w - 1) / stride.w});
    return;
  }
  if (stride.h > 1) {
    draft_.note(Severity::note, label(op),
                "its stride of " + std::to_string(stride.h) +
                    " is taken by the layer after it: the device computes all pixels");
  }
  finish(op, std::move(l), out, dim, stride);
}

}  // namespace edgetwin::max78
