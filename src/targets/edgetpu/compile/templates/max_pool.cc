// The greatest of windows, by pairs: max(a, b) = a + max(b - a, 0). Source: specification "heads"
// 6.1.
#include <algorithm>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Pairs of one axis: what lies `distance` places on joins what already is the greatest of `before`.
struct Pair {
  int64_t distance = 1, before = 1;
  bool last = false;
};

// 2, 4, 8 ... places, then the rest.
std::vector<Pair> pairs_of(int64_t kernel) {
  std::vector<Pair> all;
  for (int64_t have = 1; have < kernel;) {
    const int64_t more = std::min(have, kernel - have);
    all.push_back({more, have, have + more == kernel});
    have += more;
  }
  return all;
}

// Channels that are computed together, and where the input of a tile is for them.
struct Turn {
  int64_t first = 0, words = 0;  // of the pixels
  bool copied = false;           // `greatest` begins as a copy of the input
};

// One pair of a tile.
struct PairPlace {
  Places from, to;
  int64_t distance = 0;
  Positions n;
};

// Rows and columns that the windows of a tile's outputs cover.
Positions covered(const MaxPoolSpec& s, int r, int c, const Turn& turn) {
  return {s.x.stride * (s.out->x.own(c) - 1) + s.x.reach(),
          s.y.stride * (s.out->y.own(r) - 1) + s.y.reach(), turn.words};
}

Places input_places(const MaxPoolSpec& s, int r, int c, const Turn& turn) {
  const Map& m = *s.in;
  const int64_t pixel = m.pixel(), row = s.whole ? s.whole_columns * pixel : m.row(c);
  const int64_t y = s.whole ? s.y.stride * s.out->y.begin(r) : m.y.offset(r, s.y);
  const int64_t x = s.whole ? s.x.stride * s.out->x.begin(c) : m.x.offset(c, s.x);
  return {(s.whole ? s.whole_base : m.base) + y * row + x * pixel + 4 * turn.first, pixel, row};
}

Places work_places(const MaxPoolSpec& s, int r, int c, const Turn& turn) {
  if (!turn.copied) return {s.greatest, s.in->pixel(), s.in->row(c)};
  const Positions n = covered(s, r, c, turn);
  return {s.greatest, 4 * turn.words, 4 * turn.words * n.columns};
}

// `k` counts the pairs along x first, each on what the one before gave; the last of an axis has
// its stride.
PairPlace pair_place(const MaxPoolSpec& s, int r, int c, const Turn& turn, size_t k) {
  const std::vector<Pair> along_x = pairs_of(s.x.kernel), along_y = pairs_of(s.y.kernel);
  const Map& o = *s.out;
  const Places work = work_places(s, r, c, turn);
  PairPlace at;
  at.from = k == 0 && !turn.copied ? input_places(s, r, c, turn) : work;
  at.to = work;
  at.n = {o.x.own(c), o.y.own(r), turn.words};
  if (k < along_x.size()) {
    const Pair& pair = along_x[k];
    at.distance = pair.distance * at.from.pixel;
    at.n.rows = s.y.stride * (at.n.rows - 1) + s.y.kernel;
    if (along_y.empty()) {
      at.n.rows = o.y.own(r);
      if (k == 0) at.from.row *= s.y.stride;
    }
    if (pair.last) {
      at.from.pixel *= s.x.stride;
    } else {
      at.n.columns = s.x.stride * (at.n.columns - 1) + s.x.kernel - pair.before - pair.distance + 1;
    }
  } else {
    const Pair& pair = along_y[k - along_x.size()];
    at.distance = pair.distance * at.from.row;
    if (along_x.empty() && k == 0) at.from.pixel *= s.x.stride;
    if (pair.last) {
      at.from.row *= s.y.stride;
    } else {
      at.n.rows = s.y.stride * (at.n.rows - 1) + s.y.kernel - pair.before - pair.distance + 1;
    }
  }
  if (k + 1 == along_x.size() + along_y.size()) {
    at.to = {o.own(r, c) + 4 * turn.first, o.pixel(), o.row(c)};
  }
  return at;
}

constexpr int64_t kDifferenceLine = kMaxPoolLowest, kSumLine = kMaxPoolLowest + 4;
constexpr int64_t kCopyLine = kMaxPoolLowest + 8;

struct ConstantLines {
  int64_t difference = kDifferenceLine, sum = kSumLine, copy = kCopyLine;
};

void greatest_of(Program& p, const MaxPoolSpec& s, const Turn& turn, const ConstantLines& lines) {
  constexpr float kMost = 255;
  Numbers difference;
  difference.weight_zero = 1;
  difference.low = 0, difference.high = kMost;
  Numbers sum = difference;
  sum.weight_zero = 0;
  const size_t pairs = pairs_of(s.x.kernel).size() + pairs_of(s.y.kernel).size();
  if (turn.copied) {
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      if (!s.out->has(r, c)) return std::nullopt;
      return copied_box(input_places(s, r, c, turn), work_places(s, r, c, turn),
                        covered(s, r, c, turn), lines.copy);
    });
    p.settle();
  }
  for (size_t k = 0; k < pairs; ++k) {
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      if (!s.out->has(r, c)) return std::nullopt;
      const PairPlace at = pair_place(s, r, c, turn, k);
      return two_operands(at.from, at.distance, {s.difference, at.from.pixel, at.from.row}, at.n,
                          difference, lines.difference);
    });
    p.settle();
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      if (!s.out->has(r, c)) return std::nullopt;
      const PairPlace at = pair_place(s, r, c, turn, k);
      return two_operands(at.from, s.difference - at.from.start, at.to, at.n, sum, lines.sum);
    });
    p.settle();
  }
}

int64_t most_covered(const MaxPoolSpec& s) {
  int64_t most = 0;
  for (int t = 0; t < kTiles; ++t) {
    if (!s.out->has(t / kGrid, t % kGrid)) continue;
    const Positions n = covered(s, t / kGrid, t % kGrid, {});
    most = std::max(most, n.columns * n.rows);
  }
  return most;
}

}  // namespace

int64_t max_pool_bytes(const MaxPoolSpec& s) {
  return s.words == 0 ? s.in->bytes() : 4 * s.words * most_covered(s);
}

int64_t max_pool_words(const MaxPoolSpec& s, int64_t room) {
  const int64_t position = 4 * most_covered(s);
  return std::min(s.in->words(), std::max<int64_t>(1, room / position));
}

void max_pool(Program& p, const MaxPoolSpec& s) {
  ConstantLines lines;
  lines.difference = pair_constants(p, -1, 1, 1, s.scratch, kDifferenceLine);
  lines.sum = pair_constants(p, 1, 1, 0, s.scratch, kSumLine);
  const int64_t words = s.in->words();
  if (s.words == 0) return greatest_of(p, s, {0, words, false}, lines);
  lines.copy = unit_matrix(p, s.scratch / 4, kCopyLine);
  for (int64_t first = 0; first < words; first += s.words) {
    greatest_of(p, s, {first, std::min(s.words, words - first), true}, lines);
  }
}

}  // namespace edgetwin::edgetpu::compiler
