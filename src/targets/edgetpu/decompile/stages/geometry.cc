#include "targets/edgetpu/decompile/stages/geometry.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace edgetwin::edgetpu {
namespace {

constexpr int64_t kGeometryWord = 4;

int64_t product(const std::vector<Level>& levels, size_t begin, size_t end) {
  int64_t p = 1;
  // No layer has as many; and products must stay numbers.
  constexpr int64_t kMost = int64_t{1} << 40U;
  for (size_t k = begin; k < end && p < kMost; ++k) p *= levels[k].count;
  return p;
}

std::vector<Level> output_levels(const Nest& nest) {
  std::vector<Level> levels;
  for (size_t k = 1; k < nest.out.size; ++k) {
    if (nest.out.level[k].count > 1) levels.push_back(nest.out.level[k]);
  }
  return levels;
}

int64_t square_root(int64_t n) {
  const auto r = static_cast<int64_t>(std::lround(std::sqrt(static_cast<double>(n))));
  return r * r == n ? r : 0;
}

// One way to read the levels of the input: which of them walk over the output's positions.
struct Reading {
  std::vector<Level> pixels;  // levels over positions
  std::vector<Level> kernel;
  int64_t words = 1;  // of a pixel
  bool inner = false;
  int64_t inner_words = 1;  // before the window
  int outside = 0;          // levels of the window that stand outside of the positions
  int score = 0;
};

// Words of channels follow each other; what is left is the window.
// `inside` levels come before those over positions; a window never comes after them.
void split_rest(const std::vector<Level>& rest, size_t inside, bool depthwise, Reading& r) {
  bool kernel_seen = false;
  for (size_t k = 0; k < rest.size(); ++k) {
    const Level& l = rest[k];
    if (!depthwise && l.net == kGeometryWord * r.words) {
      constexpr int64_t kMostWords = 1 << 20;
      r.words = std::min(r.words * l.count, kMostWords);
      r.inner = r.inner || !kernel_seen;
      if (!kernel_seen) r.inner_words = r.words;
      continue;
    }
    kernel_seen = true;
    if (k >= inside) ++r.outside;
    r.kernel.push_back(l);
  }
}

// Neighbouring positions of the window and their words may be one level.
void unfuse(Reading& r) {
  if (r.pixels.empty() || r.pixels.front().net <= 0) return;
  const int64_t run = kGeometryWord * r.words;
  if (r.pixels.front().net % run == 0) return;
  const int64_t pitch = std::gcd(run, r.pixels.front().net);
  if (pitch < kGeometryWord || run % pitch != 0 || r.kernel.size() > 1) return;
  r.kernel.insert(r.kernel.begin(), Level{pitch, run / pitch, pitch});
  r.words = pitch / kGeometryWord;
}

// `missing`: words by which the last pass of the outer channel loop is shorter.
Reading read_levels(const std::vector<Level>& in, const std::vector<Level>& out, size_t begin,
                    size_t end, bool depthwise, int64_t words, int64_t missing) {
  Reading r;
  r.pixels.assign(in.begin() + static_cast<long>(begin), in.begin() + static_cast<long>(end));
  std::vector<Level> rest(in.begin(), in.begin() + static_cast<long>(begin));
  rest.insert(rest.end(), in.begin() + static_cast<long>(end), in.end());
  split_rest(rest, begin, depthwise, r);
  const bool passes =
      !rest.empty() && rest.front().net == kGeometryWord && r.words > rest.front().count;
  if (!depthwise && passes && r.words > missing) r.words -= missing;
  if (depthwise) {
    r.words = words;
  } else {
    unfuse(r);
  }
  if (r.kernel.size() > 2) return r;
  r.score = 100 - 30 * r.outside - static_cast<int>(r.kernel.size());
  bool same = r.pixels.size() == out.size();
  for (size_t k = 0; same && k < out.size(); ++k) same = r.pixels[k].count == out[k].count;
  if (same) r.score += 40;
  if (!r.pixels.empty() && r.pixels.front().net % (kGeometryWord * r.words) == 0 &&
      r.pixels.front().net != 0) {
    r.score += 20;
  }
  return r;
}

// Bytes from the first position's first tap to behind the last one's last tap, if `taps` lie side
// by side.
int64_t row_of_windows(const Reading& r, const Level& taps, int64_t pitch) {
  const Level& x = r.pixels.front();
  return x.net * (x.count - 1) + taps.net * (taps.count - 1) + pitch;
}

void set_kernel(const Reading& r, int64_t pitch, Window& w, int64_t& row_pitch) {
  if (r.kernel.empty()) return;
  const Level& first = r.kernel.front();
  if (r.kernel.size() == 2) {
    w.kernel_w = first.count;
    w.kernel_h = r.kernel[1].count;
    w.dilation = std::max<int64_t>(1, first.net / pitch);
    w.tap_x = first.net;
    w.tap_y = r.kernel[1].net;
    row_pitch = r.kernel[1].net / w.dilation;
    return;
  }
  const int64_t side = square_root(first.count);
  if (side > 1 && first.net == pitch) {
    w.kernel_w = w.kernel_h = side;
    w.tap_x = pitch;
    w.tap_y = side * pitch;
    row_pitch = side * pitch;
    return;
  }
  // One direction only. Of a horizontal window a row of positions has room for all that it reads.
  const bool vertical = r.pixels.size() > 1 && r.pixels[1].net > 0 &&
                        r.pixels[1].net < row_of_windows(r, first, pitch);
  (vertical ? w.kernel_h : w.kernel_w) = first.count;
  (vertical ? w.tap_y : w.tap_x) = first.net;
  if (!vertical) w.dilation = std::max<int64_t>(1, first.net / pitch);
}

void set_strides(const Reading& r, int64_t pitch, int64_t row_pitch, Window& w) {
  if (r.pixels.empty()) return;
  const Level& x = r.pixels.front();
  constexpr int64_t kLargest = 8;
  if (x.net % pitch == 0 && x.net / pitch <= kLargest) w.stride_w = x.net / pitch;
  w.stride_h = w.stride_w;
  if (r.pixels.size() > 1 && row_pitch > 0 && r.pixels[1].net % row_pitch == 0) {
    w.stride_h = r.pixels[1].net / row_pitch;
  }
}

// Columns and rows, where the output has both as levels.
void set_extent(const std::vector<Level>& out, Window& w) {
  if (out.size() != 2) return;
  const bool first_is_x = out[0].net < out[1].net;
  w.columns = first_is_x ? out[0].count : out[1].count;
  w.rows = first_is_x ? out[1].count : out[0].count;
}

void set_position_steps(const Reading& r, const std::vector<Level>& out, Window& w) {
  if (r.pixels.empty() || r.pixels.size() > 2) return;
  w.position = r.pixels[0].net;
  if (r.pixels.size() == 1) return;
  w.next_row = r.pixels[1].net;
  const bool rows_first = out.size() == 2 && out[0].net > out[1].net;
  if (rows_first) std::swap(w.position, w.next_row);
}

int64_t channels_out(const Nest& nest, int64_t groups) {
  const int64_t n = nest.out.level[0].count;
  if (nest.out.short_count != 0) return kGeometryWord * (n * (groups - 1) + nest.out.short_count);
  return kGeometryWord * n * groups;
}

}  // namespace

std::vector<Level> repeating(const Traversal& t) {
  std::vector<Level> levels;
  for (const Level& l : t.levels()) {
    if (l.count > 1) levels.push_back(l);
  }
  return levels;
}

std::optional<Window> window_of(const Nest& nest, bool depthwise) {
  std::vector<Level> in = repeating(nest.in);
  std::vector<Level> out = output_levels(nest);
  Window w;
  int64_t words = 1;
  int64_t groups = 1;
  if (depthwise) {
    if (in.empty() || out.empty()) return std::nullopt;
    words = in.back().count;
    in.pop_back();
    out.pop_back();
  } else if (!in.empty() && in.back().net == 0) {
    groups = in.back().count;
    in.pop_back();
    const auto same = std::find_if(out.rbegin(), out.rend(), [&](const Level& l) {
      return l.count == groups && l.net == kGeometryWord * nest.out.level[0].count;
    });
    if (same == out.rend()) return std::nullopt;
    out.erase(std::next(same).base());
  }
  w.pixels = product(out, 0, out.size());
  const bool shorter = nest.last > 0 && nest.last < nest.loop[0];
  const int64_t missing = shorter ? nest.loop[0] - nest.last : 0;
  Reading best;
  for (size_t begin = 0; begin <= in.size(); ++begin) {
    for (size_t end = begin; end <= in.size(); ++end) {
      if (product(in, begin, end) != w.pixels || (end == begin && begin > 0)) continue;
      const Reading r = read_levels(in, out, begin, end, depthwise, words, missing);
      if (r.score > best.score) best = r;
    }
  }
  if (best.score == 0) return std::nullopt;
  const int64_t pitch = kGeometryWord * best.words;
  if (pitch <= 0) return std::nullopt;
  int64_t row_pitch = 0;
  set_kernel(best, pitch, w, row_pitch);
  set_strides(best, pitch, row_pitch, w);
  set_extent(out, w);
  set_position_steps(best, out, w);
  for (const Level& l : best.pixels) w.last += l.net * (l.count - 1);
  w.in_channels = pitch;
  w.out_channels = depthwise ? pitch : channels_out(nest, groups);
  w.input_inner = best.inner;
  w.inner_words = best.inner_words;
  constexpr int64_t kMostChannels = 1 << 20;
  constexpr int64_t kMostTaps = 1024;
  const bool real = w.in_channels > 0 && w.in_channels <= kMostChannels && w.out_channels > 0 &&
                    w.out_channels <= kMostChannels && w.pixels <= (1 << 30) &&
                    w.kernel_h <= kMostTaps && w.kernel_w <= kMostTaps && w.dilation <= kMostTaps;
  if (!real) return std::nullopt;
  return w;
}

std::optional<Window> window_of(const Nest& nest, bool depthwise, int64_t channels) {
  std::optional<Window> w = window_of(nest, depthwise);
  const bool fused = w && !depthwise && channels > 0 && w->in_channels > channels &&
                     w->in_channels % channels == 0;
  // A row of the window in one level with its words.
  if (fused && w->kernel_h == 1 && w->kernel_w > 1) {
    std::swap(w->kernel_h, w->kernel_w);
    w->tap_y = w->tap_x;
    w->dilation = 1;
  }
  if (fused && w->kernel_h > 1 && w->kernel_w == 1) {
    w->kernel_w = w->in_channels / channels;
    w->in_channels = w->tap_x = channels;
    w->input_inner = true;
    w->stride_h = w->stride_w = 0;
    w->dilation = 1;
    return w;
  }
  if (!fused || w->kernel_h * w->kernel_w != 1) return w;
  const int64_t side = square_root(w->in_channels / channels);
  if (side < 2) return w;
  w->in_channels = channels;
  w->kernel_h = w->kernel_w = side;
  w->tap_x = channels;
  w->tap_y = side * channels;
  w->input_inner = true;
  w->stride_h = w->stride_w = 0;
  return w;
}

Positions positions_of(const Nest& nest) {
  Positions p;
  std::vector<Level> out = output_levels(nest);
  p.channels = kGeometryWord * nest.out.level[0].count;
  // A level that goes on from word to word counts channels.
  for (size_t k = 0; k < out.size(); ++k) {
    if (out[k].net != p.channels) continue;
    const bool last = k + 1 == out.size();
    const bool spread = nest.out.level[0].count == 1 && last && out.size() > 1;
    const bool group = nest.out.level[0].count == 16 && last && out.size() > 1;
    if (!spread && !group) continue;
    p.channels *= out[k].count;
    if (nest.out.short_count != 0) {
      p.channels -= kGeometryWord * (nest.out.level[0].count - nest.out.short_count);
    }
    out.erase(out.begin() + static_cast<long>(k));
    break;
  }
  p.pixels = product(out, 0, out.size());
  if (out.size() == 2) {
    const bool first_is_x = out[0].net < out[1].net;
    p.columns = first_is_x ? out[0].count : out[1].count;
    p.rows = first_is_x ? out[1].count : out[0].count;
  }
  return p;
}

int64_t first_channel(const Nest& nest) {
  for (size_t k = 1; k < nest.out.size; ++k) {
    const Level& l = nest.out.level[k];
    if (l.count > 1 && l.net > 0) return nest.out.start % l.net;
  }
  return 0;
}

}  // namespace edgetwin::edgetpu
