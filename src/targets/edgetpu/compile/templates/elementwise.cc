#include <algorithm>
#include <bit>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
void load_function(Program& p, const numerics::edgetpu::FunctionTable& table) {
  Assembly a = p.engine(Opcode::table, kAllTiles);
  size_t n = 0;
  for (const auto& piece : table.piece) {
    for (const float c : piece) a.set("coefficient", std::bit_cast<uint32_t>(c), n++);
  }
  for (size_t k = 0; k < table.bound.size(); ++k) {
    a.set("bound", std::bit_cast<uint32_t>(table.bound[k]), k);
  }
  a.set("kind", 3);
  p.add(a);
}

namespace {

// Constants of two operands. Weights are 16 bits without a sign, from which the zero point of
// weights is taken.
void pair_constants(Program& p, int32_t weight_a, int32_t weight_b, int32_t zero, int64_t scratch) {
  const auto pair = [zero](int32_t first, int32_t second) {
    return static_cast<uint32_t>(first + zero) | static_cast<uint32_t>(second + zero) << 16U;
  };
  const uint32_t a = pair(weight_a, 0), c = pair(0, weight_a), none = pair(0, 0);
  const uint32_t b = pair(weight_b, 0), d = pair(0, weight_b);
  write_lines(p, {a, c, none, none, none, none, a, c, b, d, none, none, none, none, b, d}, scratch,
              kConstantLine);
}

// Places of a tile's positions.
struct Places {
  int64_t start = 0, pixel = 0, row = 0;
};
struct Positions {
  int64_t columns = 0, rows = 0, words = 0;
};

// Weighted sums of what lies at `in` and `distance` bytes after it.
Assembly two_operands(const Places& in, int64_t distance, const Places& out, const Positions& n,
                      const Numbers& numbers) {
  TensorSpec spec;
  spec.loop = {2, 2};
  for (const int64_t count : {n.columns, n.rows, n.words}) {
    if (count != 1) spec.loop.push_back(count);
  }
  const auto walk = [&](const Places& box, Dims dims) {
    for (const Dim& d :
         Dims{{box.pixel, n.columns}, {box.row, n.rows}, {box.row * n.rows, 1}, {4, n.words}}) {
      dims.push_back(d);
    }
    return Walk{.start = box.start, .dims = std::move(dims)};
  };
  spec.in = walk(in, {{2, 2}, {distance, 2}});
  spec.out = walk(out, {{4, 1}});
  const int64_t all = n.columns * n.rows * n.words;
  spec.weight = {.start = 4 * kConstantLine, .dims = {{4, 4}, {0, all}}};
  spec.acc.dims = {{0, 4}, {0, all}};
  spec.acc = spec.acc.switched(1, 4);
  spec.avdata_level = 4;
  spec.kind = 0xB0;
  spec.role = Role::two_operands;
  return tensor(spec, numbers);
}

}  // namespace

void addition(Program& p, const AddSpec& s) {
  pair_constants(p, s.weight_a, s.weight_b, s.numbers.weight_zero, s.scratch);
  const Map &x = *s.a, &y = *s.b, &o = *s.out;
  add_by_tiles(p, [&](int r, int k) -> std::optional<Assembly> {
    if (!o.has(r, k)) return std::nullopt;
    return two_operands({x.own(r, k), x.pixel(), x.row(k)}, y.own(r, k) - x.own(r, k),
                        {o.own(r, k), o.pixel(), o.row(k)}, {o.x.own(k), o.y.own(r), o.words()},
                        s.numbers);
  });
}

namespace {

// One pair of neighbours of a tile: the greater of both goes on.
struct PairPlace {
  Places from, to;
  int64_t distance = 0;
  Positions n;
};

// Pairs along x first, each on what the one before gave; the last of an axis has its stride.
PairPlace pair_place(const MaxPoolSpec& s, int r, int c, int64_t pair) {
  const Map &m = *s.in, &o = *s.out;
  const int64_t pixel = m.pixel(), row = m.row(c);
  const int64_t along_x = s.x.kernel - 1, along_y = s.y.kernel - 1;
  const int64_t w = o.x.own(c), h = o.y.own(r);
  PairPlace at;
  at.from = {s.greatest, pixel, row};
  if (pair == 0) {
    at.from.start = m.base + m.y.offset(r, s.y) * row + m.x.offset(c, s.x) * pixel;
    if (along_x == 0) at.from.pixel = s.x.stride * pixel;
    if (along_y == 0) at.from.row = s.y.stride * row;
  }
  at.n = {w, h, m.words()};
  if (pair < along_x) {
    const bool last = pair + 1 == along_x;
    at.distance = pixel;
    if (last) at.from.pixel = s.x.stride * pixel;
    if (!last) at.n.columns = s.x.stride * (w - 1) + along_x - pair;
    if (along_y != 0) at.n.rows = s.y.stride * (h - 1) + s.y.kernel;
  } else {
    const int64_t k = pair - along_x;
    const bool last = k + 1 == along_y;
    at.distance = row;
    if (last) at.from.row = s.y.stride * row;
    if (!last) at.n.rows = s.y.stride * (h - 1) + along_y - k;
  }
  at.to = {s.greatest, pixel, row};
  if (pair + 1 == along_x + along_y) at.to = {o.own(r, c), o.pixel(), o.row(c)};
  return at;
}

}  // namespace

// max(a, b) = a + max(b - a, 0). Source: specification "heads" 6.1.
void max_pool(Program& p, const MaxPoolSpec& s) {
  constexpr float kMost = 255;
  Numbers difference;
  difference.weight_zero = 1;
  difference.low = 0, difference.high = kMost;
  Numbers sum = difference;
  sum.weight_zero = 0;
  for (int64_t k = 0; k < s.x.kernel + s.y.kernel - 2; ++k) {
    pair_constants(p, -1, 1, 1, s.scratch);
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      if (!s.out->has(r, c)) return std::nullopt;
      const PairPlace at = pair_place(s, r, c, k);
      return two_operands(at.from, at.distance, {s.difference, at.from.pixel, at.from.row}, at.n,
                          difference);
    });
    pair_constants(p, 1, 1, 0, s.scratch);
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      if (!s.out->has(r, c)) return std::nullopt;
      const PairPlace at = pair_place(s, r, c, k);
      return two_operands(at.from, s.difference - at.from.start, at.to, at.n, sum);
    });
    p.settle();
  }
}

}  // namespace edgetwin::edgetpu::compiler
