// Averages of windows. Source: specification "heads" 3.2.
#include <algorithm>

#include "numerics/edgetpu/elementwise.h"
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kLaneWords = 16;  // channels of one instruction, in words

// What the windows of a tile's outputs cover.
struct Covered {
  int64_t columns, rows, groups;  // groups: of four columns
  Covered(int64_t w, int64_t h, const Window& y, const Window& x)
      : columns(x.stride * (w - 1) + x.kernel),
        rows(y.stride * (h - 1) + y.kernel),
        groups(ceil_div(columns, 4)) {}
  int64_t lines() const { return groups * rows; }
};

// Groups of four columns that are not whole reach past the last row, where the ones may lie.
bool reads_past_rows(const WindowPoolSpec& s) {
  for (int t = 0; t < kTiles; ++t) {
    const int64_t w = s.out->x.own(t % kGrid), h = s.out->y.own(t / kGrid);
    if (w != 0 && h != 0 && Covered(w, h, s.y, s.x).columns % 4 != 0) return true;
  }
  return false;
}

// Outputs of a tile, in a row or column, whose windows have as many places of the picture.
struct Stretch {
  int64_t first = 0, count = 0, inside = 0;
};
std::vector<Stretch> stretches_of(const Window& w, int64_t size, int64_t begin, int64_t count) {
  std::vector<Stretch> all;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t from = w.stride * (begin + k) - w.front;
    const int64_t inside = std::min(size, from + w.kernel) - std::max<int64_t>(0, from);
    if (all.empty() || all.back().inside != inside) all.push_back({k, 0, inside});
    ++all.back().count;
  }
  return all;
}

// Channels of the pixels: `words` of them from the first on.
struct Lanes {
  int64_t first = 0, words = 0;
};

Assembly window_lines(const WindowPoolSpec& s, int r, int c, const Lanes& lanes, int64_t line) {
  const Map &m = *s.in, &o = *s.out;
  const Covered n(o.x.own(c), o.y.own(r), s.y, s.x);
  const Places whole{s.whole_places.start + o.y.begin(r) * s.y.stride * s.whole_places.row +
                         o.x.begin(c) * s.x.stride * s.whole_places.pixel,
                     s.whole_places.pixel, s.whole_places.row};
  const Places here{m.base + m.y.offset(r, s.y) * m.row(c) + m.x.offset(c, s.x) * m.pixel(),
                    m.pixel(), m.row(c)};
  const Places& at = s.whole ? whole : here;
  const int64_t pixel = at.pixel / 4;
  Assembly a(Opcode::narrow_to_wide);
  Dims dims = {{pixel, 4}};
  if (lanes.words != 1) dims.push_back({1, lanes.words});
  dims.push_back({4 * pixel, n.groups});
  dims.push_back({at.row / 4, n.rows});
  put(a, kSideA, {.start = at.start / 4 + lanes.first, .dims = dims});
  put(a, kSideB, {.start = line, .dims = {{1, n.lines()}}});
  a.set("layout", 1).set("flush_level", lanes.words == 1 ? 1 : 2);
  return a;
}

Assembly window_sums(const WindowPoolSpec& s, int r, int c, const Lanes& lanes, int64_t line,
                     const Stretch& rows, const Stretch& columns) {
  const Map& o = *s.out;
  const Covered n(o.x.own(c), o.y.own(r), s.y, s.x);
  const int64_t w = columns.count, h = rows.count, round = 4 * n.groups, words = lanes.words;
  const int64_t taps = s.x.kernel * s.y.kernel, whole = o.y.total(r) * o.row(c);
  TensorSpec spec;
  spec.loop = {s.x.kernel, s.y.kernel, w, h};
  spec.in = {.start = s.scratch,
             .dims = {{0, s.x.kernel}, {0, s.y.kernel}, {4, w * h}, {4 * w * h, 1}}};
  spec.out = {
      .start = o.own(r, c) + rows.first * o.row(c) + columns.first * o.pixel() + 4 * lanes.first,
      .dims = {{4, words}, {o.pixel(), w}, {o.row(c), h}, {4 * words, 1}, {whole, 1}}};
  spec.weight = {.start = 4 * line + columns.first * s.x.stride + rows.first * s.y.stride * round,
                 .dims = {{1, s.x.kernel},
                          {round, s.y.kernel},
                          {s.x.stride, w},
                          {s.y.stride * round, h},
                          {round * n.rows, 1},
                          {round * n.rows, 1}}};
  spec.acc.dims = {{0, taps}, {0, w * h}};
  spec.acc = spec.acc.switched(1, 4);
  spec.avdata_level = 3;
  spec.kind = 0x1870;
  spec.lanes = 4 * words;
  spec.role = Role::two_operands;
  Numbers numbers = s.numbers;
  numbers.multiplier = s.sums ? sum_multiplier(s.in_scale, s.out_scale)
                              : numerics::edgetpu::mean_multiplier(
                                    s.in_scale, rows.inside * columns.inside, s.out_scale);
  return tensor(spec, numbers);
}

}  // namespace

float sum_multiplier(float in, float out) { return in == out ? 1.0F : in * (1.0F / out); }

int64_t window_pool_scratch(const Map& out) {
  int64_t most = 0;
  for (int t = 0; t < kTiles; ++t) {
    most = std::max(most, out.y.own(t / kGrid) * out.x.own(t % kGrid));
  }
  return 4 * most;
}

int64_t window_pool_lowest(const Map& out, const Window& y, const Window& x) {
  int64_t most = 0;
  for (int t = 0; t < kTiles; ++t) {
    const int64_t w = out.x.own(t % kGrid), h = out.y.own(t / kGrid);
    if (w != 0 && h != 0) most = std::max(most, Covered(w, h, y, x).lines());
  }
  return kWideTop - 1 - most;
}

namespace {

void fill_ones(Program& p, const WindowPoolSpec& s) {
  const int64_t ones = window_pool_scratch(*s.out) / 4;
  Walk at{.start = s.scratch / 4, .dims = {{1, ones}}};
  if (ones == 1) at.levels = 0;
  fill(p, Opcode::move_up, kAllTiles, at, 1);
}

}  // namespace

// Groups of channels one after the other; in each, outputs whose windows reach over the edge apart
// from the others, since they have fewer places to divide by.
void window_pool(Program& p, const WindowPoolSpec& s) {
  const Map &m = *s.in, &o = *s.out;
  const bool apart = reads_past_rows(s);
  if (apart) {
    fill_ones(p, s);
    p.settle();
  }
  const int64_t line = window_pool_lowest(o, s.y, s.x);
  const auto rows_of = [&](int r) { return stretches_of(s.y, s.rows, o.y.begin(r), o.y.own(r)); };
  const auto columns_of = [&](int c) {
    return stretches_of(s.x, s.columns, o.x.begin(c), o.x.own(c));
  };
  size_t most = 0;
  for (int t = 0; t < kTiles; ++t) {
    most = std::max(most, rows_of(t / kGrid).size() * columns_of(t % kGrid).size());
  }
  for (int64_t first = 0; first < m.words(); first += kLaneWords) {
    const Lanes lanes{first, std::min(kLaneWords, m.words() - first)};
    if (first != 0) p.settle();
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      if (!o.has(r, c)) return std::nullopt;
      return window_lines(s, r, c, lanes, line);
    });
    if (first == 0 && !apart) fill_ones(p, s);
    p.settle();
    for (size_t part = 0; part < most; ++part) {
      add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
        if (!o.has(r, c)) return std::nullopt;
        const auto rows = rows_of(r), columns = columns_of(c);
        if (part >= rows.size() * columns.size()) return std::nullopt;
        return window_sums(s, r, c, lanes, line, rows[part / columns.size()],
                           columns[part % columns.size()]);
      });
    }
  }
}

}  // namespace edgetwin::edgetpu::compiler
