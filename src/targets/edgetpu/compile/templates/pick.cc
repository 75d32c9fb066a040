// Positions that each tile takes of what all tiles have whole.
#include <algorithm>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
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
  unit_matrix(p, s.scratch / 4, kConstantLine);
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
          {x.count, y.count, o.words()}, kConstantLine);
    });
  }
}

}  // namespace edgetwin::edgetpu::compiler
