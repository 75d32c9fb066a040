// Filters of up to 7x7, taps that stand apart, and other zeros before than after: the layer reads
// shifted copies of the picture as further channels, so that the whole sum stays in one
// accumulator. And pictures folded into channels, where the first filter has a stride.
#include <algorithm>
#include <numeric>
#include <optional>

#include "targets/max78/convert/match/matcher.h"

namespace edgetwin::max78 {
namespace {

using ai8x::Operator;

constexpr int kMostChannels = 1024;

// One axis of a convolution: tap i reads the pixel stride * t - before + i * distance.
struct Axis {
  int taps = 0, distance = 1, before = 0, after = 0, stride = 1, size = 0;
  int extent() const { return (taps - 1) * distance + 1; }
  int strided() const { return (size + before + after - extent()) / stride + 1; }
};

// An odd number of taps around the middle, with `pad` zeros on both sides.
struct Frame {
  int taps = 0, pad = 0;
};

int offset_in(const Frame& f, const Axis& a) { return f.pad - a.before; }

// Rows that the device computes beyond those of the network vanish with the stride.
bool frame_holds(const Frame& f, const Axis& a) {
  const int rows = a.size + 2 * f.pad - f.taps + 1;
  const int offset = offset_in(f, a);
  return rows >= 1 && offset >= 0 && offset + a.extent() <= f.taps &&
         (rows + a.stride - 1) / a.stride == a.strided();
}

// Shifts of the copies that the taps of one axis need: 3 taps around each.
std::vector<int> shifts_of(const Frame& f, const Axis& a) {
  const int first = offset_in(f, a) - f.taps / 2, last = first + a.extent() - 1;
  if (f.taps == 5) {
    if (last <= 0) return {-1};
    if (first >= 0) return {1};
    return {-1, 1};
  }
  return {-2, 0, 2};
}

// The copy whose three taps hold a place, and which of them; of several the first.
std::pair<size_t, int> home_of(const std::vector<int>& shifts, int place) {
  for (size_t s = 0; s < shifts.size(); ++s) {
    const int tap = place - shifts[s] + 1;
    if (tap >= 0 && tap < 3) return {s, tap};
  }
  return {0, 0};
}

struct Shift {
  int y = 0, x = 0;
};

std::vector<Shift> grid(const std::vector<int>& rows, const std::vector<int>& columns) {
  std::vector<Shift> all;
  for (const int y : rows) {
    for (const int x : columns) all.push_back({y, x});
  }
  return all;
}

// Copies of copies: each of `wanted` from the one of `have` that is one pixel away.
std::vector<float> shifting_weights(const std::vector<Shift>& have,
                                    const std::vector<Shift>& wanted, int channels) {
  const size_t in = have.size() * static_cast<size_t>(channels);
  std::vector<float> w(wanted.size() * static_cast<size_t>(channels) * in * 9, 0.0F);
  for (size_t k = 0; k < wanted.size(); ++k) {
    for (size_t h = 0; h < have.size(); ++h) {
      const int dy = wanted[k].y - have[h].y, dx = wanted[k].x - have[h].x;
      if (dy < -1 || dy > 1 || dx < -1 || dx > 1) continue;
      for (int c = 0; c < channels; ++c) {
        const size_t out = k * static_cast<size_t>(channels) + static_cast<size_t>(c);
        const size_t from = h * static_cast<size_t>(channels) + static_cast<size_t>(c);
        w[(out * in + from) * 9 + static_cast<size_t>((dy + 1) * 3 + dx + 1)] = 1.0F;
      }
      break;
    }
  }
  return w;
}

int wide_int(int64_t n) { return static_cast<int>(n); }

std::pair<Axis, Axis> axes_of(const Conv2DAttrs& a, const Shape& filter, const Padding& p,
                              Size2 in) {
  return {{wide_int(filter[2]), a.dilation_h, p.top, p.bottom, a.stride_h, in.h},
          {wide_int(filter[3]), a.dilation_w, p.left, p.right, a.stride_w, in.w}};
}

}  // namespace

// A layer of copies: the channels of `flow` moved by one pixel in up to four directions.
Flow Matcher::shifted(size_t op, const Flow& flow, const ShiftStage& stage) {
  DraftLayer l = start_layer(op, flow, Operator::conv2d);
  l.name = draft_.unique_name(layer_name(op) + "_shifts");
  l.identity = true;
  l.kernel = {3, 3};
  l.pad = {stage.pad, stage.pad};
  l.weights = stage.weights;
  const Size2 in = flow.pooled();
  return add_layer(std::move(l), kAbsent, stage.channels,
                   {in.h + 2 * stage.pad - 2, in.w + 2 * stage.pad - 2});
}

// True: the convolution became layers, or a misfit.
bool Matcher::wide_window(size_t op, const Flow& flow, const Padding& p) {
  const auto& a = at(op).as<Conv2DAttrs>();
  const Shape filter = value(at(op).inputs[1]).shape;
  const Size2 in = flow.pooled();
  const auto [rows, columns] = axes_of(a, filter, p, in);
  const auto holds = [&, r = rows, c = columns](const Frame& f) {
    return frame_holds(f, r) && frame_holds(f, c);
  };
  const bool native =
      a.dilation_h == 1 && a.dilation_w == 1 && (holds({3, 0}) || holds({3, 1}) || holds({3, 2}));
  const bool single = rows.taps == 1 && columns.taps == 1;
  if (native || single || a.stride_h != a.stride_w) return false;
  std::optional<Frame> frame;
  for (const Frame f : {Frame{5, 2}, {5, 1}, {5, 0}, {7, 3}, {7, 2}, {7, 4}, {7, 1}, {7, 0}}) {
    if (!frame && holds(f)) frame = f;
  }
  if (!frame) return false;
  const std::vector<int> ys = shifts_of(*frame, rows), xs = shifts_of(*frame, columns);
  const int channels = draft_.channels_of(flow.tensors);
  const auto copies = wide_int(static_cast<int64_t>(ys.size() * xs.size()));
  if (copies * channels > kMostChannels) {
    unknown(op, "its filter needs " + std::to_string(copies) + " shifted copies of " +
                    std::to_string(channels) + " channels; a layer reads at most 1024");
    return true;
  }
  const std::vector<Shift> wanted = grid(ys, xs);
  std::vector<Shift> have = {{0, 0}};
  Flow f = flow;
  f.padded = false;
  int pad = frame->pad;
  if (frame->taps == 7) {
    const std::vector<Shift> near = grid({-1, 1}, {-1, 1});
    const int first = std::min(pad, 2);
    f = shifted(op, f, {shifting_weights(have, near, channels), 4 * channels, first});
    have = near;
    pad -= first;
  }
  f = shifted(op, f, {shifting_weights(have, wanted, channels), copies * channels, pad});
  DraftLayer l = start_layer(op, f, Operator::conv2d);
  l.kernel = {3, 3};
  wide_weights(op, l,
               {ys, xs, offset_in(*frame, rows) - frame->taps / 2,
                offset_in(*frame, columns) - frame->taps / 2});
  if (at(op).has_input(2)) l.bias = floats(at(op).inputs[2]);
  draft_.note(Severity::note, label(op),
              "its filter is computed over " + std::to_string(copies) +
                  (copies == 1 ? " shifted copy" : " shifted copies") + " of the picture");
  finish(op, std::move(l), wide_int(filter[0]), {f.dim.h - 2, f.dim.w - 2},
         {a.stride_h, a.stride_w});
  return true;
}

void Matcher::wide_weights(size_t op, DraftLayer& l, const WideFilter& w) {
  const auto& a = at(op).as<Conv2DAttrs>();
  const Shape filter = value(at(op).inputs[1]).shape;
  const std::vector<float> from = floats(at(op).inputs[1]);
  const auto out = static_cast<size_t>(filter[0]), per = static_cast<size_t>(filter[1]);
  const auto kh = static_cast<size_t>(filter[2]), kw = static_cast<size_t>(filter[3]);
  const auto all = static_cast<size_t>(draft_.channels_of(l.sources));
  const size_t channels = all / (w.rows.size() * w.columns.size());
  const size_t groups = channels / per, outs = out / groups;
  l.weights.assign(out * all * 9, 0.0F);
  for (size_t y = 0; y < kh; ++y) {
    const auto row = home_of(w.rows, w.top + static_cast<int>(y) * a.dilation_h);
    for (size_t x = 0; x < kw; ++x) {
      const auto column = home_of(w.columns, w.left + static_cast<int>(x) * a.dilation_w);
      const size_t copy = row.first * w.columns.size() + column.first;
      const auto tap = static_cast<size_t>(row.second * 3 + column.second);
      for (size_t o = 0; o < out; ++o) {
        for (size_t i = 0; i < per; ++i) {
          const size_t channel = copy * channels + o / outs * per + i;
          l.weights[(o * all + channel) * 9 + tap] = from[((o * per + i) * kh + y) * kw + x];
        }
      }
    }
  }
}

// The first convolution with a stride reads the input folded by it: as many rows and columns less,
// as many channels more, and a filter of 1x1 or 3x3 without a stride. False: it does not become so.
bool Matcher::folded(size_t op, const Flow& flow, const Padding& p) {
  const auto& a = at(op).as<Conv2DAttrs>();
  const Shape filter = value(at(op).inputs[1]).shape;
  const int s = a.stride_h;
  const bool first = flow.tensors == std::vector<int>{0} && !flow.pending() && draft_.fold_input &&
                     draft_.layers.empty() && uses_.count(at(op).inputs[0]) == 1;
  if (!first || s < 2 || s > 4 || a.stride_w != s || a.dilation_h != 1 || a.dilation_w != 1) {
    return false;
  }
  DraftTensor& in = draft_.tensor(0);
  if (in.h % s != 0 || in.w % s != 0 || in.channels * s * s > kMostChannels) return false;
  if (filter[1] != in.channels) return false;
  const auto [rows, columns] = axes_of(a, filter, p, {in.h, in.w});
  const auto floor_of = [s](int n) { return n >= 0 ? n / s : -((-n + s - 1) / s); };
  const auto holds = [&](const Axis& x, const Frame& f) {
    const int low = floor_of(-x.before) + f.pad, high = floor_of(x.taps - 1 - x.before) + f.pad;
    return low >= 0 && high < f.taps && x.size / s + 2 * f.pad - f.taps + 1 == x.strided();
  };
  for (const Frame f : {Frame{1, 0}, {3, 1}, {3, 0}, {3, 2}}) {
    if (!holds(rows, f) || !holds(columns, f)) continue;
    fold_by(op, {s, f.taps, f.pad, rows.before, columns.before});
    return true;
  }
  return false;
}

void Matcher::fold_by(size_t op, const Fold& fold) {
  const Shape filter = value(at(op).inputs[1]).shape;
  const std::vector<float> from = floats(at(op).inputs[1]);
  DraftTensor& in = draft_.tensor(0);
  const int s = fold.by, k = fold.taps, channels = in.channels;
  in.fold = s;
  in.channels *= s * s;
  in.h /= s;
  in.w /= s;
  Flow f = flow(at(op).inputs[0]);
  f.dim = {in.h, in.w};
  f.padded = false;
  flows_[at(op).inputs[0]] = f;
  DraftLayer l = start_layer(op, f, Operator::conv2d);
  l.kernel = {k, k};
  l.pad = {fold.pad, fold.pad};
  const auto all = static_cast<size_t>(in.channels), kk = static_cast<size_t>(k * k);
  const int out = wide_int(filter[0]), kh = wide_int(filter[2]), kw = wide_int(filter[3]);
  l.weights.assign(static_cast<size_t>(out) * all * kk, 0.0F);
  size_t at_weight = 0;
  for (int o = 0; o < out; ++o) {
    for (int c = 0; c < channels; ++c) {
      for (int y = 0; y < kh; ++y) {
        for (int x = 0; x < kw; ++x, ++at_weight) {
          // Pixel s * t + v of the picture is pixel t + v / s of the folded one.
          const int v = y - fold.top + s * fold.pad, u = x - fold.left + s * fold.pad;
          const int channel = (v % s * s + u % s) * channels + c;
          const auto row = static_cast<size_t>(o) * all + static_cast<size_t>(channel);
          l.weights[row * kk + static_cast<size_t>(v / s * k + u / s)] = from[at_weight];
        }
      }
    }
  }
  if (at(op).has_input(2)) l.bias = floats(at(op).inputs[2]);
  draft_.note(Severity::note, label(op),
              "the input is folded by " + std::to_string(s) + ": " + std::to_string(in.channels) +
                  " channels of " + std::to_string(in.h) + "x" + std::to_string(in.w) +
                  ", row and column of the fold before the channel");
  finish(op, std::move(l), out, {in.h + 2 * fold.pad - k + 1, in.w + 2 * fold.pad - k + 1});
}

}  // namespace edgetwin::max78
