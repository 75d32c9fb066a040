// Positions of a tensor that another one has in other tiles: rectangles, positions in order, and
// those that each tile takes of what all tiles have whole.
#include <algorithm>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};

// What part `s` of one axis and part `q` of the other have in common, counted in steps from the
// first place that is taken.
Range common(const Axis& from, int64_t from_at, int64_t step, int s, const Axis& to, int64_t to_at,
             int q) {
  const int64_t a = from.begin(s) - from_at, b = to.begin(q) - to_at;
  const auto steps = [&](int64_t places) { return places <= 0 ? 0 : ceil_div(places, step); };
  return {std::max(steps(a), b), std::min(steps(a + from.own(s)), b + to.own(q))};
}

Walk piece_walk(int64_t start, const Dims& dims) {
  return {.start = start, .dims = fused(without_ones(dims, 1))};
}

// Positions that follow each other in both tensors.
struct Stretched {
  int64_t from = 0, to = 0, count = 0;  // words from the tile's first, positions
};

// What the source tile (r, c) has of what the tile (y, x) of the result wants.
std::vector<Stretched> shared_runs(const ReorderSpec& s, int r, int c, int y, int x) {
  const Map &from = *s.from, &to = *s.to;
  const int64_t width = from.x.size * s.times, word = to.words();
  // All columns at once, or each by itself where some of its positions are not there.
  const int64_t columns = from.x.own(c),
                runs = s.count == 0 ? std::min<int64_t>(columns, 1) : columns;
  const int64_t count = s.count == 0 ? columns * s.times : s.count;
  std::vector<Stretched> all;
  for (int64_t n = 0; n < from.y.own(r) * runs; ++n) {
    const int64_t row = n / runs, column = n % runs;
    const int64_t begin =
        s.first + (from.y.begin(r) + row) * width + (from.x.begin(c) + column) * s.times + s.begin;
    for (int64_t line = 0; line < to.y.own(y); ++line) {
      const int64_t first = (to.y.begin(y) + line) * to.x.size + to.x.begin(x);
      const int64_t low = std::max(begin, first);
      const int64_t high = std::min(begin + count, first + to.x.own(x));
      if (low >= high) continue;
      all.push_back({row * from.row(c) / 4 + (column * count + low - begin) * word,
                     line * to.row(x) / 4 + (low - first) * word, high - low});
    }
  }
  return all;
}

// Runs of one length in equal steps on both sides: from `k` on.
size_t equal_runs(const std::vector<Stretched>& all, size_t k) {
  size_t end = k + 1;
  while (end < all.size() && all[end].count == all[k].count &&
         all[end].from - all[end - 1].from == all[k + 1].from - all[k].from &&
         all[end].to - all[end - 1].to == all[k + 1].to - all[k].to) {
    ++end;
  }
  return end;
}

}  // namespace

void reorder(Program& p, const ReorderSpec& s) {
  const Map &from = *s.from, &to = *s.to;
  std::vector<Transfer> made;
  for (int source = 0; source < kTiles; ++source) {
    const int r = source / kGrid, c = source % kGrid;
    for (int tile = 0; tile < kTiles; ++tile) {
      const int y = tile / kGrid, x = tile % kGrid;
      const auto all = shared_runs(s, r, c, y, x);
      for (size_t k = 0; k < all.size();) {
        const size_t end = equal_runs(all, k);
        const auto n = static_cast<int64_t>(end - k);
        const int64_t words = all[k].count * to.words();
        const int64_t by = n > 1 ? all[k + 1].from - all[k].from : words;
        const int64_t to_by = n > 1 ? all[k + 1].to - all[k].to : words;
        made.push_back({source, 1U << tile,
                        piece_walk(from.own(r, c) / 4 + all[k].from, {{1, words}, {by, n}}),
                        piece_walk(to.own(y, x) / 4 + all[k].to, {{1, words}, {to_by, n}})});
        k = end;
      }
    }
  }
  transfers(p, made);
}

namespace {

void add_rectangle(const RelocateSpec& s, std::vector<Transfer>& made) {
  const Map &from = *s.from, &to = *s.to;
  const int64_t w = from.words();
  for (int source = 0; source < kTiles; ++source) {
    const int r = source / kGrid, c = source % kGrid;
    for (int tile = 0; tile < kTiles; ++tile) {
      const int y = tile / kGrid, x = tile % kGrid;
      const Range rows = common(from.y, s.from_y, s.step_y, r, to.y, s.to_y, y);
      const Range columns = common(from.x, s.from_x, s.step_x, c, to.x, s.to_x, x);
      if (rows.size() <= 0 || columns.size() <= 0) continue;
      const int64_t first = from.own(r, c) +
                            (s.from_y + rows.begin * s.step_y - from.y.begin(r)) * from.row(c) +
                            (s.from_x + columns.begin * s.step_x - from.x.begin(c)) * from.pixel();
      const int64_t second = to.own(y, x) + (s.to_y + rows.begin - to.y.begin(y)) * to.row(x) +
                             (s.to_x + columns.begin - to.x.begin(x)) * to.pixel();
      made.push_back(
          {source, 1U << tile,
           piece_walk(
               first / 4,
               {{1, w}, {s.step_x * w, columns.size()}, {s.step_y * from.row(c) / 4, rows.size()}}),
           piece_walk(second / 4, {{1, w}, {w, columns.size()}, {to.row(x) / 4, rows.size()}})});
    }
  }
}

std::vector<Transfer> rectangles(const Waiting& w) {
  std::vector<Transfer> made;
  for (size_t k = 0; k < w.parts.size(); ++k) {
    const size_t before = made.size();
    add_rectangle(w.parts[k], made);
    for (size_t n = before; n < made.size(); ++n) made[n].part = k;
  }
  return made;
}

}  // namespace

void relocate(Program& p, const RelocateSpec& s) { relocate(p, std::vector<RelocateSpec>{s}); }

void relocate(Program& p, const std::vector<RelocateSpec>& all) {
  std::vector<Transfer> made;
  for (const RelocateSpec& s : all) add_rectangle(s, made);
  if (all.size() == 1 || all_kept(p, made)) return transfers(p, made);
  for (size_t k = 0; k < all.size(); ++k) {
    if (k != 0) p.barrier();
    relocate(p, all[k]);
  }
}

WaitingLines waiting_lines(const Waiting& w) {
  const std::vector<Transfer> made = rectangles(w);
  const Exchange e(made, w.shared);
  return {e.lines_out(), e.lines_in()};
}

void to_lines(Program& p, const Waiting& w, int64_t out, int64_t in, bool first) {
  const std::vector<Transfer> made = rectangles(w);
  const Exchange e(made, w.shared);
  e.bring(p, out, in);
  if (first) e.store(p, in, true, 0);
}

void by_lines(Program& p, const RelocateSpec& s, bool counted) {
  const Waiting w{{s}};
  const WaitingLines n = waiting_lines(w);
  if (p.vendor() || p.room() + n.out + n.in > kRoomEnd) {
    // Buffers that are used by turns are told apart by what their tile has counted.
    if (counted) p.barrier();
    return relocate(p, s);
  }
  to_lines(p, w, p.room(), p.room() + n.out, true);
}

void from_lines(Program& p, const Waiting& w, size_t part, int64_t in) {
  const std::vector<Transfer> made = rectangles(w);
  Exchange(made, w.shared).store(p, in, false, part);
}

namespace {

// Places in equal steps on both sides.
struct Steps {
  int64_t out = 0, out_step = 1, in = 0, in_step = 0, count = 1;
};

// From `out` on with `step`, as long as the steps of the sources are the same.
Steps steps_from(const std::vector<int64_t>& sources, const std::vector<bool>& done, int64_t out,
                 int64_t step, int64_t end) {
  const auto at = [&](int64_t k) { return sources[static_cast<size_t>(k)]; };
  const auto open = [&](int64_t k) {
    return k < end && at(k) >= 0 && !done[static_cast<size_t>(k)];
  };
  Steps s{out, step, at(out), 0, 1};
  for (int64_t k = out + step; open(k) && at(k) >= at(k - step); k += step, ++s.count) {
    if (s.count > 1 && at(k) - at(k - step) != s.in_step) break;
    s.in_step = at(k) - at(k - step);
  }
  return s;
}

// All places of a tile's part, the longest steps first from the front.
std::vector<Steps> steps_of(const std::vector<int64_t>& sources, int64_t begin, int64_t end) {
  constexpr int64_t kMostStep = 16;
  std::vector<bool> done(sources.size(), false);
  std::vector<Steps> all;
  for (int64_t out = begin; out < end; ++out) {
    if (done[static_cast<size_t>(out)] || sources[static_cast<size_t>(out)] < 0) continue;
    Steps best = steps_from(sources, done, out, 1, end);
    for (int64_t step = 2; step <= kMostStep; ++step) {
      const Steps other = steps_from(sources, done, out, step, end);
      if (other.count > best.count) best = other;
    }
    for (int64_t k = 0; k < best.count; ++k) {
      done[static_cast<size_t>(best.out + k * best.out_step)] = true;
    }
    all.push_back(best);
  }
  return all;
}

}  // namespace

void pick(Program& p, const PickSpec& s) {
  const int64_t line = unit_matrix(p, s.scratch / 4, kConstantLine);
  const Map& o = *s.out;
  std::array<std::vector<Steps>, kGrid> rows, columns;
  size_t most = 0;
  for (int t = 0; t < kGrid; ++t) {
    const auto k = static_cast<size_t>(t);
    rows.at(k) = steps_of(s.rows, o.y.begin(t), o.y.begin(t) + o.y.own(t));
    columns.at(k) = steps_of(s.columns, o.x.begin(t), o.x.begin(t) + o.x.own(t));
  }
  for (const auto& y : rows) {
    for (const auto& x : columns) most = std::max(most, y.size() * x.size());
  }
  for (size_t n = 0; n < most; ++n) {
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      const auto &ys = rows.at(static_cast<size_t>(r)), &xs = columns.at(static_cast<size_t>(c));
      if (!o.has(r, c) || n >= ys.size() * xs.size()) return std::nullopt;
      const Steps &y = ys[n / xs.size()], &x = xs[n % xs.size()];
      return copied_box(
          {s.from.start + y.in * s.from.row + x.in * s.from.pixel, x.in_step * s.from.pixel,
           y.in_step * s.from.row},
          {o.own(r, c) + (y.out - o.y.begin(r)) * o.row(c) + (x.out - o.x.begin(c)) * o.pixel(),
           x.out_step * o.pixel(), y.out_step * o.row(c)},
          {x.count, y.count, o.words()}, line);
    });
  }
}

}  // namespace edgetwin::edgetpu::compiler
