// Products of two pictures, byte by byte. Source: specification "heads" 4.1.
#include <algorithm>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kWordLine = 2072;    // two lines that take turns
constexpr int64_t kMatrixLine = 2076;  // the unit matrix
constexpr int64_t kRoom = 49'152;      // bytes of products at a time

constexpr uint32_t counter_bit(TileCounter c) { return 1U << static_cast<unsigned>(c); }

int64_t most_rows(const Map& m) {
  int64_t most = 0;
  for (int t = 0; t < kGrid; ++t) most = std::max(most, m.y.own(t));
  return most;
}

int64_t row_products(const Map& m) {
  int64_t most = 0;
  for (int t = 0; t < kGrid; ++t) most = std::max(most, m.x.own(t));
  return 16 * m.words() * most;
}

// TileRows of a tile in one turn.
struct TileRows {
  int64_t first = 0, count = 0, columns = 0, words = 0;
};

// Every byte of a word of one factor times every byte of the word of the other: 16 bytes, of which
// every fifth is wanted.
Assembly all_products(const ProductSpec& s, int r, int c, const TileRows& n) {
  const Map& m = *s.a;
  const int64_t w = n.columns, h = n.count, words = n.words;
  TensorSpec spec;
  spec.loop = {4, words, w, h};
  spec.in = {.start = m.own(r, c) + n.first * m.row(c),
             .dims = {{1, 4 * words}, {m.pixel(), w}, {m.row(c), h}, {m.row(c) * h, 1}}};
  spec.out = {
      .start = s.products,
      .dims = {
          {4, 1}, {4, 4 * words}, {16 * words, w}, {16 * words * w, h}, {16 * words * w * h, 1}}};
  spec.avdata_level = 4;
  spec.weight = {.start = 4 * s.word_line, .dims = {{1, 4}, {0, words}, {0, w}, {0, h}}};
  spec.weight = spec.weight.switched(1, 4);
  spec.acc.dims = {{1, 1}, {0, 4 * words}, {0, w}, {0, h}};
  spec.acc = spec.acc.switched(1, 4);
  spec.counts_parameters = true;
  spec.parameters_level = 1;
  spec.waits = {{TileCounter::narrow_to_wide, 1, 1}};
  spec.kind = 0x1C30;
  spec.role = Role::square;
  return tensor(spec, s.numbers);
}

// The words of the other factor, a line for each.
Assembly word_lines(const ProductSpec& s, int r, int c, const TileRows& n, bool vendor) {
  const Map& m = *s.b;
  Assembly a(Opcode::narrow_to_wide);
  const Dims words{{1, n.words * n.columns}, {m.row(c) / 4, n.count}};
  put(a, kSideA,
      {.start = (m.own(r, c) + n.first * m.row(c)) / 4,
       .dims = vendor ? without_ones(words, 1) : words});
  const Walk lines{.start = s.word_line, .dims = {{0, n.words * n.columns * n.count}}};
  put(a, kSideB, lines.switched(0, 1));
  a.set("counts.narrow_to_wide", 1);
  put_waits(a, {{TileCounter::parameters, 0, -1, 1, 1}}, true);
  return a;
}

Assembly wanted_products(const ProductSpec& s, int r, int c, const TileRows& n, int64_t line) {
  const Map& o = *s.out;
  const int64_t w = n.columns, h = n.count, words = n.words;
  TensorSpec spec = selection_of(words, w, h, line);
  spec.in = {
      .start = s.products,
      .dims = {{4, 4 * words}, {16 * words, w}, {16 * words * w, h}, {16 * words * w * h, 1}}};
  spec.out = {.start = o.own(r, c) + n.first * o.row(c),
              .dims = {{4, words}, {o.pixel(), w}, {o.row(c), h}, {o.row(c) * h, 1}}};
  return tensor(spec, copy_numbers());
}

int64_t rows_at_a_time(const Map& m) {
  return std::max<int64_t>(1, std::min(most_rows(m), kRoom / row_products(m)));
}

}  // namespace

int64_t product_bytes(const Map& map) { return rows_at_a_time(map) * row_products(map); }

void product(Program& p, const ProductSpec& spec) {
  ProductSpec s = spec;
  s.word_line = p.vendor() ? p.line(kWideTop - kProductLines) : kWordLine;
  const Program::Kept kept =
      p.vendor() ? Program::Kept{p.matrix_line(), p.takes_matrix()} : p.keep(matrix_words(), 1);
  const int64_t line = kept.line >= 0 ? kept.line : kMatrixLine;
  if (!kept.there) fill_matrix(p, s.scratch / 4);
  const Map& o = *s.out;
  const int64_t turn = rows_at_a_time(o);
  for (int64_t first = 0; first < most_rows(o); first += turn) {
    const auto made = [&](int tile, auto make) -> std::optional<Assembly> {
      const int r = tile / kGrid, c = tile % kGrid;
      const TileRows n{first, std::min(turn, o.y.own(r) - first), o.x.own(c), o.words()};
      if (n.count <= 0 || n.columns == 0) return std::nullopt;
      return make(s, r, c, n);
    };
    if (first != 0) p.barrier();
    if (p.vendor() && !p.after_epoch()) p.epoch();  // tiles share both only where they wait alike
    const auto bring = [&](const ProductSpec& of, int r, int c, const TileRows& n) {
      return word_lines(of, r, c, n, p.vendor());
    };
    // There the unit does not count what it makes.
    const auto uncounted = [&](std::optional<Assembly> a) {
      if (a && p.vendor()) a->set("counts.avdata", 0).set("counts.avdata.level", 0);
      return a;
    };
    // Tiles that share both instructions; the one that brings the words comes right behind.
    uint32_t done = 0;
    for (int t = 0; t < kTiles; ++t) {
      const auto products = uncounted(made(t, all_products));
      if (!products || (done >> t & 1U) != 0) continue;
      const auto lines = made(t, bring);
      uint32_t tiles = 0;
      for (int k = t; k < kTiles; ++k) {
        const auto a = uncounted(made(k, all_products)), b = made(k, bring);
        const bool same = a && a->bytes() == products->bytes() && b->bytes() == lines->bytes();
        tiles |= same ? 1U << k : 0;
      }
      done |= tiles;
      p.add(*products, tiles);
      p.add(*lines, tiles);
    }
    p.settle();
    if (first == 0 && !kept.there) store_matrix(p, s.scratch / 4, line);
    add_by_tiles(p, [&](int r, int c) {
      return uncounted(
          made(r * kGrid + c, [&](auto&&... at) { return wanted_products(at..., line); }));
    });
  }
  if (!p.vendor()) return;
  p.tile_sync(counter_bit(TileCounter::narrow_to_wide), kAllEngines, false);
  p.tile_sync(counter_bit(TileCounter::parameters), kAllEngines, false);
}

}  // namespace edgetwin::edgetpu::compiler
