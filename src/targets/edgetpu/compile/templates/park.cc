// Tensors that wait in wide memory: each tile keeps its own rows there.
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

}  // namespace

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
