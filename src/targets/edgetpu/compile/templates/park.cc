// Words that go by way of wide memory to other places of their tile: tensors that wait there, of
// which each tile keeps its own rows, and rows that steps take and leave.
#include <algorithm>
#include <utility>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Walk rows_walk(const ParkSpec& s, int c) {
  const Map& m = *s.map;
  const int64_t words = m.x.own(c) * m.words(), row = m.row(c) / 4;
  return {.start = m.base / 4 + s.first * row + m.x.front[static_cast<size_t>(c)] * m.words(),
          .dims = fused(without_ones({{1, words}, {row, s.rows}}, 1))};
}

Walk lines_walk(const ParkSpec& s) {
  return {.start = s.line, .dims = {{1, park_lines(*s.map) * s.rows}}};
}

// Two lines that take turns where there are more.
Walk turns(int64_t line, int64_t lines) {
  if (lines > 1) return Walk{.start = line, .dims = {{0, lines}}}.switched(0, 1);
  return Walk{.start = line, .dims = {{1, 1}}, .levels = 0}.switched(1, 1);
}

// Of `words` words from a walk to words from `to` on, through lines that take turns. Behind a
// barrier; `sent`: lines that were before.
void through_lines(Program& p, Assembly n2w, int64_t words, int64_t to, int64_t line,
                   int64_t sent) {
  const int64_t lines = ceil_div(words, kLineWords);
  const unsigned level = lines > 1 ? 0 : 1;
  put(n2w, kSideB, turns(line, lines));
  n2w.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", level);
  n2w.set("flush_level", 1);
  put_waits(n2w, {{TileCounter::wide_to_narrow, level, (sent - 1) * kLineWords, kLineWords, 1}},
            true);
  p.add(n2w);
  Assembly w2n = p.engine(Opcode::wide_to_narrow, kAllTiles);
  put(w2n, kSideA, turns(line, lines));
  put(w2n, kSideB, {.start = to, .dims = {{1, words}}, .levels = 1});
  w2n.set("counts.wide_to_narrow", 1).set("flush_level", 1);
  put_waits(w2n, {{TileCounter::narrow_to_wide, level, sent + 1}}, true);
  p.add(w2n);
}

constexpr unsigned kTilesRegister = 6, kPlaceRegister = 7;  // as the public program has them

}  // namespace

void begin_rows(Program& p, const RowsSpec& s) {
  p.set_register(kTilesRegister, kAllTiles);
  p.set_register(kPlaceRegister, static_cast<uint32_t>(s.rows / 4));
}

void take_row(Program& p, const RowsSpec& s, int64_t to) {
  for (int64_t done = 0; done < s.words; done += kLineWords) {
    const int64_t n = std::min(kLineWords, s.words - done);
    Assembly n2w = p.engine(Opcode::narrow_to_wide, 0);
    n2w.set("tiles.dynamic", 1).set("tiles.register", kTilesRegister);
    n2w.set("a.dynamic", 1).set("register", kPlaceRegister);
    put(n2w, kSideA, {.start = s.rows / 4, .dims = {{1, n}}, .levels = 1});
    through_lines(p, std::move(n2w), n, to / 4 + done, s.line, done / kLineWords);
    p.advance(kPlaceRegister, static_cast<uint32_t>(n));
  }
}

void again_for_rows(Program& p, const RowsSpec& s, size_t begin) {
  p.end_loop(begin, kPlaceRegister, static_cast<uint32_t>(s.rows / 4 + s.count * s.words));
}

void move_words(Program& p, int64_t from, int64_t to, int64_t words, int64_t line) {
  Assembly n2w = p.engine(Opcode::narrow_to_wide, kAllTiles);
  put(n2w, kSideA, {.start = from / 4, .dims = {{1, words}}, .levels = 1});
  through_lines(p, std::move(n2w), words, to / 4, line, 0);
}

int64_t park_lines(const Map& map) {
  const int64_t words = map.x.own(0) * map.words();
  if (words % kLineWords != 0 || map.x.size % kGrid != 0) return 0;
  return words / kLineWords;
}

void park(Program& p, const ParkSpec& s) {
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!s.map->has(r, c)) return std::nullopt;
    const Walk from = rows_walk(s, c);
    Assembly a(Opcode::narrow_to_wide);
    put(a, kSideA, from);
    put(a, kSideB, lines_walk(s));
    return a.set("counts.narrow_to_wide", 1).set("flush_level", from.dims.size());
  });
}

void unpark(Program& p, const ParkSpec& s) {
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!s.map->has(r, c)) return std::nullopt;
    Assembly a(Opcode::wide_to_narrow);
    put(a, kSideA, lines_walk(s));
    put(a, kSideB, rows_walk(s, c));
    return a.set("counts.wide_to_narrow", 1).set("flush_level", 1);
  });
}

}  // namespace edgetwin::edgetpu::compiler
