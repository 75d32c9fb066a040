#include <algorithm>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint32_t kInputTag = 1;
constexpr int64_t kInputUnit = 8;  // bytes that a transfer of activations counts in
constexpr int64_t kInputChunk = 16384;
constexpr int64_t kInputRing = 2 * kInputChunk;
constexpr uint64_t kInfeedRoom = 32764;
constexpr int64_t kLineBytes = 256;

void infeed(Program& p, const std::string& name, int64_t bytes) {
  p.sync(1U << static_cast<unsigned>(ScalarCounter::avdata_infeed), kInfeedRoom, false, 0xC);
  p.sync(1U << static_cast<unsigned>(ScalarCounter::avdata_pop), 0, false, 0xC);
  Assembly a(Opcode::infeed);
  a.set("input", 1).set("counts.pop", 1);
  put(a, kSideA, stream_walk(0, ceil_div(bytes, kInputUnit), kInputChunk));
  put_waits(a, {{ScalarCounter::avdata_infeed, 0, 0}}, false);
  p.add(a);
  p.descriptor(darwinn::BaseAddress::input, name, bytes, kInputTag);
}

void param(Program& p, uint32_t tiles, int64_t first, int64_t units) {
  Assembly a(Opcode::param);
  a.set("kind", 1).set("tiles", tiles).set("lanes", 63).set("counts.infeed", 1);
  put(a, kSideA, stream_walk(first % kInputRing, units, kInputChunk));
  put_waits(a, {{ScalarCounter::avdata_pop, 0, first + 1}}, false);
  a.set_bits(kParamAlwaysBit, 1, 1);
  p.add(a);
}

// Numbers of a picture that come in rows.
struct Rows {
  const Map& m;
  int64_t channels, row_bytes, lines, unit_rows, unit_words;
  // The shortest turns of lines in which the words of all tiles have known forms.
  explicit Rows(const Map& map) : Rows(map, 0) {
    constexpr int64_t kMoreLines = 8;
    for (int64_t more = 0; more < kMoreLines; ++more) {
      const Rows tried(map, more);
      if (tried.matrix() < 0 || !tried.known()) continue;
      lines = tried.lines;
      return;
    }
  }
  Rows(const Map& map, int64_t more_lines)
      : m(map),
        channels(map.channels),
        row_bytes(map.x.size * map.channels),
        lines(ceil_div(row_bytes, kLineBytes) + more_lines),
        unit_rows(row_bytes % 4 == 0   ? 1
                  : row_bytes % 2 == 0 ? 2
                                       : 4),
        unit_words(unit_rows * row_bytes / 4) {}
  // No public program skips words where its last turn of lines is short and that of words is whole.
  bool known() const {
    for (int t = 0; t < kTiles; ++t) {
      const int r = t / kGrid, c = t % kGrid;
      if (!m.has(r, c)) continue;
      const bool whole = rest(r, c) == unit_words;
      if (skipped(r, c) != 0 && last_lines(r) != lines && whole) return false;
    }
    return true;
  }
  // Lines of the last turn.
  int64_t last_lines(int r) const {
    return ceil_div(bytes(r), kLineBytes) - (passes(r) - 1) * lines;
  }
  // More turns than the tensor instructions take would wait for them without end.
  int64_t turns(int r, int c) const {
    return std::min(ceil_div(words(r, c), unit_words),
                    units(r) + (unit_words < kLineWords ? 0 : 1));
  }
  int64_t rest(int r, int c) const {
    return std::min(unit_words, words(r, c) - (turns(r, c) - 1) * unit_words);
  }
  int64_t first(int r) const { return m.y.begin(r) * row_bytes; }
  int64_t lead(int r) const { return first(r) % kInputUnit; }
  int64_t bytes(int r) const { return m.y.own(r) * row_bytes + lead(r); }
  int64_t passes(int r) const { return ceil_div(bytes(r), kLineBytes * lines); }
  int64_t units(int r) const { return ceil_div(m.y.own(r), unit_rows); }
  int64_t skipped(int r, int c) const { return (lead(r) + m.x.begin(c) * channels) / 4; }
  int64_t words(int r, int c) const {
    return ceil_div(bytes(r), kLineBytes) * kLineWords - skipped(r, c);
  }
  int64_t by() const { return std::max(unit_words, kLineWords); }
  // Words of the last unit that a tensor instruction takes.
  int64_t last_words(int r, int c) const {
    return std::min(unit_words, words(r, c) - (units(r) - 1) * unit_words);
  }
  int64_t matrix() const { return kWideTop - 2 * lines - 2; }
};

void row_words(Program& p, const PictureSpec& s, const Rows& n) {
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!s.map->has(r, c)) return std::nullopt;
    Assembly a(Opcode::wide_to_narrow);
    Walk from{.start = kWideTop - 2 * n.lines};
    from.dims = {{1, n.lines}, {0, n.passes(r)}};
    from = from.switched(1, n.lines);
    const int64_t last = n.last_lines(r);
    if (last != n.lines) from = from.shortened(last, 1, n.lines - last);
    put(a, kSideA, from);
    Walk to{.start = s.rows_base / 4, .dims = {{1, n.unit_words}, {0, n.turns(r, c)}}};
    to = to.switched(1, n.by());
    const int64_t rest = n.rest(r, c);
    if (rest != n.unit_words) to = to.shortened(rest, 1, n.unit_words - rest);
    put(a, kSideB, to);
    const int64_t skipped = n.skipped(r, c);
    if (skipped != 0) {
      a.set("skip", 3).set("skip.count", static_cast<uint64_t>(skipped - 1));
      a.set("skip.start", static_cast<uint64_t>(s.rows_base));
      a.set("skip.end", static_cast<uint64_t>(s.rows_base / 4 + skipped - 1));
    }
    a.set("counts.wide_to_narrow", 1).set("flush_level", 2);
    put_waits(a, {{TileCounter::ring_read_a, 1, 1}, {TileCounter::avdata, 1, -1, 1, 1}}, true);
    return a;
  });
}

void row_lines(Program& p, const Rows& n) {
  for (int r = 0; r < kGrid; ++r) {
    uint32_t tiles = 0;
    for (int c = 0; c < kGrid; ++c) tiles |= n.m.has(r, c) ? 1U << (r * kGrid + c) : 0;
    if (tiles == 0) continue;
    Assembly a = p.engine(Opcode::ring_receive, tiles);
    Walk to{.start = kWideTop - 2 * n.lines};
    to.dims = {{1, n.lines}, {0, n.passes(r)}};
    const unsigned level = 1;
    to = to.switched(level, n.lines);
    const int64_t rest = n.last_lines(r);
    if (rest != n.lines) to = to.shortened(rest, 1, n.lines - rest);
    put(a, kSideA, to);
    a.set("counts.ring_read", 1).set("counts.ring_read.level", level);
    const int64_t words = n.lines * kLineWords;
    put_waits(a, {{TileCounter::wide_to_narrow, level, -words, words, 1}}, true);
    p.add(a);
    param(p, tiles, n.first(r) / kInputUnit, ceil_div(n.bytes(r), kInputUnit));
  }
}

// All units but the last one, or the last one.
void expand(Program& p, const PictureSpec& s, const Rows& n, bool last) {
  int64_t shortest = n.unit_words;
  for (int t = 0; t < kTiles; ++t) {
    if (s.map->has(t / kGrid, t % kGrid)) {
      shortest = std::min(shortest, n.last_words(t / kGrid, t % kGrid));
    }
  }
  const Map& m = *s.map;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!m.has(r, c)) return std::nullopt;
    const int64_t before = n.units(r) - 1, w = m.x.own(c);
    if (!last && before == 0) return std::nullopt;
    const int64_t rows = last ? m.y.own(r) - before * n.unit_rows : n.unit_rows;
    const int64_t by = 4 * n.by(), row = m.row(c), whole = m.y.total(r) * row;
    TensorSpec spec;
    Walk& in = spec.in;
    in.start = s.rows_base + (n.lead(r) + m.x.begin(c) * n.channels) % 4;
    if (last && before % 2 == 1) in.start += by;
    spec.out.start = m.own(r, c) + (last ? before * n.unit_rows * row : 0);
    const Dims turns = last ? Dims{} : Dims{{0, before}};
    const auto with = [&](Dims dims) {
      dims.insert(dims.end(), turns.begin(), turns.end());
      return dims;
    };
    if (n.channels % 4 == 0) {
      const int64_t words = n.channels / 4;
      spec.loop = {1, words, w};
      in.dims = with({{4, words}, {n.channels, w}});
      in = in.switched(2, by);
      spec.out.dims = last ? Dims{{4, words}, {m.pixel(), w}, {row, 1}, {whole, 1}}
                           : Dims{{4, words}, {m.pixel(), w}, {row, before}, {whole, 1}};
      spec.weight.dims = spec.acc.dims = with({{0, words}, {0, 1}, {0, w}});
      spec.acc = spec.acc.switched(0, 4);
      spec.avdata_level = 2;
      spec.kind = 0x30;
    } else {
      spec.loop = {n.channels, w, rows};
      in.dims = with({{1, n.channels}, {n.channels, w}, {n.row_bytes, rows}});
      in = in.switched(3, by);
      spec.out.dims = {{4, 1}, {4, w}, {row, rows}};
      if (!last) spec.out.dims.push_back({n.unit_rows * row, before});
      spec.out.dims.push_back({whole, 1});
      spec.weight.dims = without_ones(with({{1, n.channels}, {0, w}, {0, rows}}), 2);
      spec.acc.dims = spec.weight.dims;
      spec.acc.dims[0].stride = 0;
      spec.acc = spec.acc.switched(1, 4);
      spec.avdata_level = 3;
      spec.kind = 0x1C30;
    }
    if (!last) spec.loop.push_back(before);
    spec.weight.start = 4 * n.matrix();
    const int64_t step = n.unit_words;
    spec.waits = {{TileCounter::wide_to_narrow, 3, last ? before * step + shortest : step, step}};
    spec.role = Role::expand;
    return tensor(spec, copy_numbers());
  });
}

}  // namespace

// Two take turns; an instruction that begins at the second one names a place after it.
int64_t picture_buffers(const Map& map) { return 3 * 4 * Rows(map).by(); }
int64_t picture_lowest(const Map& map) { return Rows(map).matrix(); }

int64_t picture_part(const Map& map) {
  const Rows n(map);
  int64_t most = 0;
  for (int r = 0; r < kGrid; ++r) most = std::max(most, n.bytes(r));
  return most;
}

void picture_input(Program& p, const PictureSpec& s) {
  const Rows n(*s.map);
  unit_matrix(p, s.scratch / 4, n.matrix());
  expand(p, s, n, false);
  infeed(p, s.name, s.map->y.size * n.row_bytes);
  row_words(p, s, n);
  row_lines(p, n);
  p.settle();
  expand(p, s, n, true);
}

void vector_input(Program& p, const std::string& name, int64_t bytes, int64_t base) {
  infeed(p, name, bytes);
  const int64_t lines = ceil_div(bytes, kLineBytes);
  const unsigned level = lines == 1 ? 1 : 0;
  Walk at{.start = 2077, .dims = {{0, lines}}};
  if (lines == 1) {
    at.dims = {{1, 1}};
    at.levels = 0;
  }
  Assembly w2n = p.engine(Opcode::wide_to_narrow, kAllTiles);
  put(w2n, kSideA, at.switched(level, 1));
  put(w2n, kSideB, {.start = base / 4, .dims = {{1, ceil_div(bytes, 4)}}});
  w2n.set("counts.wide_to_narrow", 1).set("flush_level", 1);
  put_waits(w2n, {{TileCounter::ring_read_a, level, 1}}, true);
  p.add(w2n);
  Assembly receive = p.engine(Opcode::ring_receive, kAllTiles);
  put(receive, kSideA, at.switched(level, 1));
  receive.set("counts.ring_read", 1).set("counts.ring_read.level", level);
  put_waits(receive, {{TileCounter::wide_to_narrow, level, -kLineWords, kLineWords, 1}}, true);
  p.add(receive);
  param(p, kAllTiles, 0, ceil_div(bytes, kInputUnit));
}

}  // namespace edgetwin::edgetpu::compiler
