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

// Positions that follow each other in both tensors.
struct Stretched {
  int64_t from = 0, to = 0, count = 0;  // words from the tile's first, positions
};

// What the source tile (r, c) has of what the tile (y, x) of the result wants.
std::vector<Stretched> shared_runs(const ReorderSpec& s, int r, int c, int y, int x) {
  const Map &from = *s.from, &to = *s.to;
  const int64_t width = from.x.size * s.times, word = to.words();
  std::vector<Stretched> all;
  for (int64_t row = 0; row < from.y.own(r); ++row) {
    const int64_t begin = s.first + (from.y.begin(r) + row) * width + from.x.begin(c) * s.times;
    const int64_t end = begin + from.x.own(c) * s.times;
    for (int64_t line = 0; line < to.y.own(y); ++line) {
      const int64_t first = (to.y.begin(y) + line) * to.x.size + to.x.begin(x);
      const int64_t low = std::max(begin, first), high = std::min(end, first + to.x.own(x));
      if (low >= high) continue;
      all.push_back({row * from.row(c) / 4 + (low - begin) * word,
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
  std::array<TransferCounts, kTiles> counts{};
  std::array<int64_t, 16> sent{};
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
        TransferCounts& count = counts.at(static_cast<size_t>(tile));
        count.sent = sent;
        transfer(p, source, 1U << tile,
                 piece_walk(from.own(r, c) / 4 + all[k].from, {{1, words}, {by, n}}),
                 piece_walk(to.own(y, x) / 4 + all[k].to, {{1, words}, {to_by, n}}), count);
        sent = count.sent;
        k = end;
      }
    }
  }
}

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
