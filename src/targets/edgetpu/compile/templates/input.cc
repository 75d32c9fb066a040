// Pictures from the host.
#include <algorithm>

#include "targets/edgetpu/compile/templates/input_parts.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Units that one instruction counts in 16 bits: whole lines of them.
constexpr int64_t kMostUnits = 65535 / (kInputLine / kInputUnit) * (kInputLine / kInputUnit);

// Numbers of a picture that come in rows.
struct Rows {
  const Map& m;
  Style style;
  int64_t channels, row_bytes, lines, unit_rows, unit_words;
  int64_t ahead;      // bytes before the first row in the unit that it begins in
  int64_t kept = -1;  // the matrix, where the program keeps it
  int64_t at = -1;    // the rows, where they have their place
  const std::vector<ComingRows>* apart = nullptr;  // of each row of tiles
  // The shortest turns of lines in which the words of all tiles have known forms. `first_row`: of
  // the whole picture, where the map is a part of it.
  Rows(const Map& map, Style how, int64_t first_row, const std::vector<ComingRows>& parts = {})
      : Rows(map, how, first_row, parts, 0) {
    constexpr int64_t kMoreLines = 8;
    for (int64_t more = 0; more < kMoreLines; ++more) {
      const Rows tried(map, style, first_row, parts, more);
      if (tried.matrix() < 0 || !tried.known()) continue;
      lines = tried.lines;
      return;
    }
  }
  Rows(const Map& map, Style how, int64_t first_row, const std::vector<ComingRows>& parts,
       int64_t more_lines)
      : m(map),
        style(how),
        channels(map.channels),
        row_bytes(map.x.size * map.channels),
        lines(ceil_div(row_bytes, kInputLine) + more_lines),
        unit_rows(row_bytes % 4 == 0   ? 1
                  : row_bytes % 2 == 0 ? 2
                                       : 4),
        unit_words(unit_rows * row_bytes / 4),
        ahead(first_row * row_bytes % kInputUnit),
        apart(parts.empty() ? nullptr : &parts) {}
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
    return ceil_div(bytes(r), kInputLine) - (passes(r) - 1) * lines;
  }
  // More turns than the tensor instructions take would wait for them without end.
  int64_t turns(int r, int c) const {
    return std::min(ceil_div(words(r, c), unit_words),
                    units(r) + (unit_words < kLineWords ? 0 : 1));
  }
  int64_t rest(int r, int c) const {
    return std::min(unit_words, words(r, c) - (turns(r, c) - 1) * unit_words);
  }
  int64_t own(int r) const {
    return apart == nullptr ? m.y.own(r) : apart->at(static_cast<size_t>(r)).rows;
  }
  int64_t rows_before(int r) const {
    return apart == nullptr ? 0 : apart->at(static_cast<size_t>(r)).before;
  }
  int64_t first(int r) const { return apart != nullptr ? 0 : ahead + m.y.begin(r) * row_bytes; }
  int64_t lead(int r) const { return first(r) % kInputUnit; }
  int64_t bytes(int r) const { return own(r) * row_bytes + lead(r); }
  int64_t passes(int r) const { return ceil_div(bytes(r), kInputLine * lines); }
  int64_t units(int r) const { return ceil_div(own(r), unit_rows); }
  // More units than one before the last: what waits for their words stands before the counter
  // begins anew, so that nothing may be in it.
  bool counts_anew(int r) const { return style == Style::vendor && units(r) > 2; }
  int64_t skipped(int r, int c) const { return (lead(r) + m.x.begin(c) * channels) / 4; }
  int64_t words(int r, int c) const {
    return ceil_div(bytes(r), kInputLine) * kLineWords - skipped(r, c);
  }
  int64_t by() const { return std::max(unit_words, kLineWords); }
  // Words of the last unit that a tensor instruction takes.
  int64_t last_words(int r, int c) const {
    return std::min(unit_words, words(r, c) - (units(r) - 1) * unit_words);
  }
  // Bytes are taken one by one.
  bool by_bytes() const { return channels % 4 != 0; }
  int64_t matrix_lines() const { return by_bytes() ? 2 : 1; }
  int64_t matrix() const { return kept >= 0 ? kept : lowest(); }
  int64_t first_line() const { return at >= 0 ? at : kWideTop - 2 * lines; }
  int64_t lowest() const { return kWideTop - 2 * lines - matrix_lines(); }
  // Lines in turns; the vendor's compiler has no level for one line, but no public program of that
  // form skips words where the last turn of words is whole.
  bool one_level() const {
    if (style != Style::vendor || lines != 1) return false;
    for (int t = 0; t < kTiles; ++t) {
      const int r = t / kGrid, c = t % kGrid;
      if (m.has(r, c) && skipped(r, c) != 0 && rest(r, c) == unit_words) return false;
    }
    return true;
  }
  unsigned turn_level() const { return one_level() ? 0 : 1; }
  Walk line_walk(int r) const {
    Walk w{.start = first_line()};
    w.dims = one_level() ? Dims{{0, passes(r)}} : Dims{{1, lines}, {0, passes(r)}};
    w = w.switched(turn_level(), lines);
    const int64_t last = last_lines(r);
    return last == lines ? w : w.shortened(last, 1, lines - last);
  }
};

// `anew`: of tiles that begin to count anew there, or of the others.
void row_words(Program& p, const PictureSpec& s, const Rows& n, bool anew) {
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!s.map->has(r, c) || n.counts_anew(r) != anew) return std::nullopt;
    Assembly a(Opcode::wide_to_narrow);
    put(a, kSideA, n.line_walk(r));
    const int64_t rest = n.rest(r, c);
    // A single turn has no more words than it takes: of words, and of constants.
    const bool single =
        p.vendor() && n.turns(r, c) == 1 && rest != n.unit_words && (!n.by_bytes() || s.stream);
    const int64_t words = single ? rest : n.unit_words;
    Walk to{.start = s.rows_base / 4, .dims = {{1, words}, {0, n.turns(r, c)}}};
    to = to.switched(1, single ? rest : n.by());
    if (rest != words) to = to.shortened(rest, 1, n.unit_words - rest);
    put(a, kSideB, to);
    const int64_t skipped = n.skipped(r, c);
    if (skipped != 0) {
      a.set("skip", 3).set("skip.count", static_cast<uint64_t>(skipped - 1));
      a.set("skip.start", static_cast<uint64_t>(s.rows_base));
      a.set("skip.end", static_cast<uint64_t>(s.rows_base / 4 + skipped - 1));
    }
    const bool at_once = s.stream && n.turns(r, c) == 1 && skipped == 0;
    a.set("counts.wide_to_narrow", 1).set("flush_level", at_once ? 1 : 2);
    put_waits(a,
              {{TileCounter::ring_read_a, n.turn_level(), 1}, {TileCounter::avdata, 1, -1, 1, 1}},
              true);
    return a;
  });
}

void row_lines(Program& p, const PictureSpec& s, const Rows& n) {
  for (int r = 0; r < kGrid; ++r) {
    uint32_t tiles = 0;
    for (int c = 0; c < kGrid; ++c) tiles |= n.m.has(r, c) ? 1U << (r * kGrid + c) : 0;
    if (tiles == 0) continue;
    Assembly a = p.engine(Opcode::ring_receive, tiles);
    const unsigned level = n.turn_level();
    put(a, kSideA, n.line_walk(r));
    a.set("counts.ring_read", 1).set("counts.ring_read.level", level);
    const int64_t words = n.lines * kLineWords;
    put_waits(a, {{TileCounter::wide_to_narrow, level, -words, words, 1}}, true);
    p.add(a);
    if (s.stream) {
      p.take_stream(tiles, s.stream->bytes, kLineWords);
      continue;
    }
    if (n.apart != nullptr) infeed(p, s.name, n.apart->at(static_cast<size_t>(r)).sent);
    const int64_t units = ceil_div(n.bytes(r), kInputUnit);
    for (int64_t k = 0; k < units; k += kMostUnits) {
      param(p, tiles, n.first(r) / kInputUnit + k, std::min(kMostUnits, units - k));
    }
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
    const int64_t rows = last ? n.own(r) - before * n.unit_rows : n.unit_rows;
    const int64_t by = 4 * n.by(), row = m.row(c), whole = m.y.total(r) * row;
    TensorSpec spec;
    Walk& in = spec.in;
    in.start = s.rows_base + (n.lead(r) + m.x.begin(c) * n.channels) % 4;
    if (last && before % 2 == 1) in.start += by;
    spec.out.start = m.own(r, c) + (n.rows_before(r) + (last ? before * n.unit_rows : 0)) * row;
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
      const Dims weights = p.vendor()
                               ? Dims{{1, n.channels}, {0, w}, {0, last ? rows : rows * before}}
                               : with({{1, n.channels}, {0, w}, {0, rows}});
      spec.weight.dims = without_ones(weights, 2);
      spec.acc.dims = spec.weight.dims;
      spec.acc.dims[0].stride = 0;
      if (p.vendor() && n.channels == 1) {  // as public programs have it: a step, and no level
        spec.acc.dims[0].stride = 1;
        spec.acc.levels = 0;
      }
      spec.acc = spec.acc.switched(1, 4);
      spec.avdata_level = 3;
      spec.kind = 0x1C30;
    }
    if (!last) spec.loop.push_back(before);
    spec.weight.start = 4 * n.matrix();
    const int64_t step = n.unit_words;
    spec.waits = {{TileCounter::wide_to_narrow, 3, last ? before * step + shortest : step, step}};
    spec.role = spec.kind == 0x30 ? Role::square : Role::expand;
    return tensor(spec, copy_numbers());
  });
}

// For bytes zeros follow it in two lines.
constexpr int64_t kByteMatrixWords = kMatrixWords + kLineWords;
void byte_matrix(Program& p, int64_t scratch, int64_t line) {
  fill_matrix(p, scratch);
  fill(p, Opcode::move_up, kAllTiles, {.start = scratch + kMatrixWords, .dims = {{1, kLineWords}}},
       0);
  p.settle();
  Assembly a = p.engine(Opcode::narrow_to_wide, kAllTiles);
  put(a, kSideA, {.start = scratch, .dims = {{1, kByteMatrixWords}}});
  put(a, kSideB, {.start = line, .dims = {{1, 2}}});
  p.add(a.set("flush_level", 1));
}

void matrix(Program& p, const PictureSpec& s, Rows& n) {
  const int64_t scratch = s.scratch / 4;
  if (s.row_line >= 0) n.at = s.row_line;
  if (s.matrix_there) {
    n.kept = s.matrix_line;
    return;
  }
  std::vector<uint32_t> words = matrix_words();
  if (n.by_bytes()) words.resize(kByteMatrixWords);
  const Program::Kept kept = p.keep(words, n.matrix_lines());
  n.kept = s.matrix_line >= 0 ? s.matrix_line : kept.line;
  if (kept.line >= 0) p.keeps(matrix_words(), kept.line);
  if (kept.there) return;
  if (n.by_bytes()) {
    byte_matrix(p, scratch, n.matrix());
  } else if (p.vendor()) {
    word_matrix(p, scratch, n.matrix());
  } else {
    fill_matrix(p, scratch);
    p.settle();
    return store_matrix(p, scratch, n.matrix());
  }
  p.tile_sync(0, p.vendor() ? kMatrixIdle : kAllEngines, false);
}

}  // namespace

// Two take turns.
int64_t picture_buffers(const Map& map, Style style) { return 2 * 4 * Rows(map, style, 0).by(); }
int64_t picture_constants(const Map& map, Style style) {
  return 4 * (Rows(map, style, 0).by_bytes() ? kByteMatrixWords : kMatrixWords);
}
int64_t picture_lowest(const Map& map, Style style, int64_t first_row) {
  return Rows(map, style, first_row).lowest();
}

int64_t picture_row_lines(const Map& map, Style style, int64_t first_row) {
  return 2 * Rows(map, style, first_row).lines;
}

// Units shorter than a line lie apart: their bytes must not reach into the next one, as those of
// rows of few bytes do that begin inside of a word.
bool picture_reaches_over(const Map& map, Style style) {
  const Rows n(map, style, 0);
  if (!n.by_bytes() || n.unit_words >= kLineWords) return false;
  for (int t = 0; t < kTiles; ++t) {
    const int r = t / kGrid, c = t % kGrid;
    if (!map.has(r, c)) continue;
    const int64_t begin = (n.lead(r) + map.x.begin(c) * n.channels) % 4;
    const int64_t rows = std::min(n.unit_rows, map.y.own(r));
    const int64_t end = begin + (rows - 1) * n.row_bytes + map.x.own(c) * n.channels;
    if (end > 4 * n.unit_words) return true;
  }
  return false;
}

SentRows sent_rows(const Map& map, int64_t first_row, int64_t all_rows) {
  const int64_t row_bytes = map.x.size * map.channels, end = (first_row + map.y.size) * row_bytes;
  const int64_t offset = first_row * row_bytes / kInputUnit * kInputUnit;
  const int64_t units = ceil_div(end - offset, kInputUnit);
  return {offset, std::min(units * kInputUnit, all_rows * row_bytes - offset)};
}

void picture_input(Program& p, const PictureSpec& s) {
  Rows n(*s.map, p.style(), s.first_row, s.parts);
  uint32_t tiles = 0;
  for (int t = 0; t < kTiles; ++t) tiles |= n.counts_anew(t / kGrid) ? 1U << t : 0;
  constexpr auto kCounter = TileCounter::wide_to_narrow;
  constexpr uint32_t kWords = 1U << static_cast<unsigned>(kCounter);
  begin_input(p);
  if (tiles != 0 && p.has_counted(kCounter)) p.epoch();
  matrix(p, s, n);
  expand(p, s, n, false);
  if (s.stream) {
    p.stream(s.stream->offset, s.stream->bytes);
  } else if (s.parts.empty()) {
    infeed(p, s.name, sent_rows(*s.map, s.first_row, s.all_rows));
  }
  if (tiles != 0) p.tile_sync(kWords, 0, false, 0, tiles);
  row_words(p, s, n, false);
  row_words(p, s, n, true);
  row_lines(p, s, n);
  p.settle();
  expand(p, s, n, true);
  if (p.vendor()) p.epoch();
}

}  // namespace edgetwin::edgetpu::compiler
