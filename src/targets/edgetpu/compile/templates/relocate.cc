// A rectangle of a tensor to another tensor whose parts lie in other tiles.
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

}  // namespace

void relocate(Program& p, const RelocateSpec& s) {
  const Map &from = *s.from, &to = *s.to;
  const int64_t w = from.words();
  std::array<TransferCounts, kTiles> counts{};
  std::array<int64_t, 16> sent{};
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
      TransferCounts& n = counts.at(static_cast<size_t>(tile));
      n.sent = sent;
      transfer(
          p, source, 1U << tile,
          piece_walk(
              first / 4,
              {{1, w}, {s.step_x * w, columns.size()}, {s.step_y * from.row(c) / 4, rows.size()}}),
          piece_walk(second / 4, {{1, w}, {w, columns.size()}, {to.row(x) / 4, rows.size()}}), n);
      sent = n.sent;
    }
  }
}

}  // namespace edgetwin::edgetpu::compiler
