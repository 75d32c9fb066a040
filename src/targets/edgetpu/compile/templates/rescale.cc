// Bytes with other numbers, through a table, or at other places of their tile.
#include <algorithm>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint32_t kUnitCounters = 0x7;  // results, parameters and sums

// The line of the unit matrix. `vendor`: of one position instructions have words alone; `counted`:
// they wait for it by its counter; `made`: the step writes it.
struct UnitMatrix {
  int64_t line = 0;
  bool vendor = false, counted = false, made = false;
};

// In the vendor's style the kept one, which comes by counters where these begin anew.
UnitMatrix matrix_for(Program& p, const RescaleSpec& s) {
  const bool kept = p.vendor() && s.factor == 1 && s.numbers.weight_zero == 0;
  if (!kept || p.matrix_line() < 0 || !p.after_epoch()) {
    return {unit_matrix(p, s.scratch / 4, s.line, s.factor, s.numbers.weight_zero), p.vendor()};
  }
  const UnitMatrix unit{p.matrix_line(), true, true, !p.takes_matrix()};
  if (unit.made) word_matrix(p, s.scratch / 4, unit.line);
  return unit;
}

// What is added to the four channels of a word, from the host: their receiver, and what brings them
// to the unit. As MoveNet has it, the only public program with such numbers.
void take_biases(Program& p, const RescaleSpec& s) {
  const uint32_t tiles = s.out->tiles();
  Assembly receive = p.engine(Opcode::ring_receive, tiles);
  const Walk line = Walk{.start = s.biases.line, .dims = {{1, 1}}};
  Walk one = line;
  one.levels = 0;
  put(receive, kSideA, one.switched(1, 1));
  receive.set("counts.ring_read", 1).set("counts.ring_read.level", 1);
  put_waits(receive, {{TileCounter::wide_to_scaling, 1, -1, 1, 1}}, true);
  p.add(receive);
  Assembly numbers = p.engine(Opcode::wide_to_narrow, tiles);
  put(numbers, kSideA, line.switched(1, 1));
  put(numbers, kSideB, Walk{.start = 64, .dims = {{1, 2}, {64, 1}}}.switched(2, 32));
  numbers.set("counts.wide_to_narrow", 1).set("counts.wide_to_narrow.level", 2);
  numbers.set("numbers", 1).set("flush_level", 1);
  put_waits(numbers, {{TileCounter::ring_read_a, 1, 1}, {TileCounter::avdata, 2, -1, 1, 1}}, true);
  p.add(numbers);
}

// `level`: of the loop whose passes are single words of one position, or of all.
void wait_for(TensorSpec& spec, const RescaleSpec& s, const UnitMatrix& unit, unsigned level) {
  if (!unit.counted) return;
  spec.role = Role::product;
  if (s.numbers.has_bias) spec.waits = {{TileCounter::wide_to_scaling, level, 1}};
  spec.waits.push_back({TileCounter::narrow_to_wide, level + 1, unit.made ? 1 : 0});
  spec.counts_parameters = true;
  spec.parameters_level = level;
}

// Rows [first, first + rows) of a tile as one instruction; the levels of both sides are three.
Assembly rescale_rows(const RescaleSpec& s, const UnitMatrix& unit, int r, int c, int64_t first,
                      int64_t rows) {
  const Map &m = *s.in, &o = *s.out;
  const int64_t w = m.x.own(c), words = std::min(m.words(), o.words()), positions = w * rows;
  const auto dims = [&](const Map& map) {
    const int64_t pixel = s.blocks ? map.pixel() : 4 * words;
    if (positions == 1) return Dims{{4, 1}, {pixel, 1}, {4, words}};
    Dims all = {{4, 1}};
    const Dims at = fused(without_ones({{map.pixel(), w}, {map.row(c), rows}}));
    all.insert(all.end(), at.begin(), at.end());
    all.push_back({4, words});
    return all;
  };
  TensorSpec spec;
  spec.loop = {positions, words};
  spec.in = {.start = m.own(r, c) + s.in_offset + first * m.row(c), .dims = dims(m)};
  spec.out = {.start = o.own(r, c) + s.out_offset + first * o.row(c), .dims = dims(o)};
  spec.avdata_level = static_cast<unsigned>(spec.out.dims.size() - 1);
  spec.weight = {.start = 4 * unit.line, .dims = {{0, positions}, {0, words}}};
  if (unit.vendor && positions == 1) spec.loop = {words}, spec.weight.dims = {{0, words}};
  spec.acc.dims = spec.weight.dims;
  spec.acc = spec.acc.switched(0, 4);
  spec.kind = 0x30;
  spec.role = Role::copy;
  wait_for(spec, s, unit, positions == 1 ? 0 : 1);
  Assembly a = tensor(spec, s.numbers);
  if (s.odd) a.set("odd", 3);
  return a;
}

// The same of a whole part whose rows have gaps: word by word, as copies of boxes are. In the
// output its positions lie `y` rows and `x` columns apart.
Assembly rescale_box(const RescaleSpec& s, const UnitMatrix& unit, int r, int c, int64_t y = 1,
                     int64_t x = 1) {
  const Map &m = *s.in, &o = *s.out;
  const int64_t w = m.x.own(c), h = m.y.own(r), words = std::min(m.words(), o.words());
  const int64_t n = words * w * h;
  TensorSpec spec;
  spec.loop = {1, n};
  spec.in = {.start = m.own(r, c) + s.in_offset,
             .dims = {{4, words},
                      {0, 1},
                      {m.pixel(), w},
                      {0, 1},
                      {m.row(c), h},
                      {0, 1},
                      {m.y.total(r) * m.row(c), 1},
                      {0, 1}}};
  spec.out = {
      .start = o.own(r, c) + s.out_offset,
      .dims = {{4, words}, {x * o.pixel(), w}, {y * o.row(c), h}, {o.y.total(r) * o.row(c), 1}}};
  spec.avdata_level = 3;
  spec.weight = {.start = 4 * unit.line, .dims = {{4, 1}, {0, n}}};
  spec.acc.dims = {{0, n}};
  spec.acc = spec.acc.switched(0, 256);
  if (n == 1) {
    spec.acc.dims = {{1, 1}};
    spec.acc.levels = 0;
    spec.acc = spec.acc.switched(1, 256);
  }
  spec.kind = 0x30;
  spec.role = Role::copy;
  wait_for(spec, s, unit, 1);
  return tensor(spec, s.numbers);
}

bool without_gaps(const RescaleSpec& s, int r, int c) {
  const int64_t w = s.in->x.own(c), h = s.in->y.own(r);
  const auto plain = [&](const Map& map) {
    return w == 1 || h == 1 || map.row(c) == w * map.pixel();
  };
  return plain(*s.in) && plain(*s.out);
}

// How a tile's part is gone through: a loop counts to 16,384.
enum class Pass : uint8_t { whole, box, rows };
Pass pass_of(const RescaleSpec& s, int r, int c) {
  const int64_t positions = s.in->x.own(c) * s.in->y.own(r);
  if (without_gaps(s, r, c) && positions <= kMostWords) return Pass::whole;
  const int64_t words = positions * std::min(s.in->words(), s.out->words());
  return s.table == nullptr && words <= kMostWords ? Pass::box : Pass::rows;
}

void rescale_blocks(Program& p, const RescaleSpec& s, const UnitMatrix& unit) {
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    const int64_t first = (r * kGrid + c) * kBlockChannels;
    const int64_t n = std::min<int64_t>(s.in->channels - first, kBlockChannels);
    if (n <= 0) return std::nullopt;
    Map in = Map::vector(n), out = *s.out;
    in.base = s.in->base, out.base += first;
    RescaleSpec block = s;
    block.in = &in, block.out = &out;
    return rescale_rows(block, unit, r, c, 0, 1);
  });
}

}  // namespace

void rescale(Program& p, const RescaleSpec& s) {
  const UnitMatrix unit = matrix_for(p, s);
  if (s.numbers.has_bias) take_biases(p, s);
  if (s.table != nullptr) {
    // What the unit counts begins anew with a table.
    if (unit.counted) p.tile_sync(kUnitCounters, kTensorIdle, false);
    load_function(p, *s.table, p.vendor() ? s.in->tiles() : kAllTiles);
  }
  if (s.blocks) return rescale_blocks(p, s, unit);
  const Map& m = *s.in;
  int64_t rows = 1;
  const auto made = [&](int r, int c) -> std::optional<Assembly> {
    if (!m.has(r, c)) return std::nullopt;
    const Pass pass = pass_of(s, r, c);
    if (pass == Pass::whole) return rescale_rows(s, unit, r, c, 0, m.y.own(r));
    if (pass == Pass::box) {
      const Assembly box = rescale_box(s, unit, r, c);
      const bool at_once = p.vendor() && m.x.own(c) * m.y.own(r) <= kMostWords;
      // The vendor's compiler has no word by word where a result has a border.
      return at_once ? first_known({rescale_rows(s, unit, r, c, 0, m.y.own(r)), box}) : box;
    }
    rows = std::max(rows, m.y.own(r));
    return rescale_rows(s, unit, r, c, 0, 1);
  };
  // Which sides are one position long tells tiles apart there.
  const auto sides = [&](int r, int c) {
    return p.vendor() ? int{m.y.own(r) == 1} + 2 * int{m.x.own(c) == 1} : 0;
  };
  add_by_tiles(p, made, sides);
  for (int64_t row = 1; row < rows; ++row) {
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      if (!m.has(r, c) || row >= m.y.own(r) || pass_of(s, r, c) != Pass::rows) return std::nullopt;
      return rescale_rows(s, unit, r, c, row, 1);
    });
  }
  if (!s.numbers.has_bias) return;
  p.stream(s.biases.stream.offset, s.biases.stream.bytes);
  p.take_stream(s.out->tiles(), s.biases.stream.bytes, kBiasSlots);
}

int64_t most_words(const Map& in, const Map& out) {
  return in.y.own(0) * in.x.own(0) * std::min(in.words(), out.words());
}

// Source: specification "heads" 6.2.
void repeat(Program& p, const RepeatSpec& s) {
  const int64_t line = unit_matrix(p, s.scratch / 4, kConstantLine);
  for (int64_t i = 0; i < s.y; ++i) {
    for (int64_t k = 0; k < s.x; ++k) {
      add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
        if (!s.in->has(r, c)) return std::nullopt;
        const int64_t first = i * s.out->row(c) + k * s.out->pixel();
        return rescale_box({s.in, s.out, first, s.numbers, s.scratch}, {line}, r, c, s.y, s.x);
      });
    }
  }
}

void interleave(Program& p, const InterleaveSpec& s) {
  const int64_t line = unit_matrix(p, s.scratch / 4, kConstantLine);
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!s.in->has(r, c)) return std::nullopt;
    const Map &m = *s.in, &o = *s.out;
    return copied_box({m.own(r, c), m.pixel(), m.row(c)},
                      {o.own(r, c) + s.first_y * o.row(c) + s.first_x * o.pixel(),
                       s.step_x * o.pixel(), s.step_y * o.row(c)},
                      {m.x.own(c), m.y.own(r), m.words()}, line);
  });
}

Assembly copied_box(const Places& in, const Places& out, const Positions& n, int64_t line) {
  const int64_t words = n.words, w = n.columns, h = n.rows, all = words * w * h;
  // Of the tensors that both are parts of, where that is said.
  const int64_t in_all = in.all != 0 ? in.all : 4 * words;
  const int64_t out_all = out.all != 0 ? out.all : out.row * h;
  TensorSpec spec;
  spec.loop = {1, all};
  spec.in = {
      .start = in.start,
      .dims = {{4, words}, {0, 1}, {in.pixel, w}, {0, 1}, {in.row, h}, {0, 1}, {in_all, 1}, {0, 1}},
      .levels = 0x55};
  spec.out = {.start = out.start, .dims = {{4, words}, {out.pixel, w}, {out.row, h}, {out_all, 1}}};
  spec.avdata_level = 3;
  spec.weight = {.start = 4 * line, .dims = {{4, 1}, {0, all}}};
  spec.acc.dims = {{0, all}};
  spec.acc = spec.acc.switched(0, 256);
  if (all == 1) {
    spec.acc = {.dims = {{1, 1}}, .levels = 0};
    spec.acc = spec.acc.switched(1, 256);
  }
  spec.kind = 0x30;
  spec.role = Role::copy;
  return tensor(spec, copy_numbers());
}

void spread(Program& p, const SpreadSpec& s) {
  const int64_t line = unit_matrix(p, s.scratch / 4, kConstantLine);
  const Map& o = *s.out;
  // Some words of all pixels at a time where a tile has more than can be counted.
  const int64_t parts = ceil_div(o.y.own(0) * o.x.own(0) * o.words(), kMostWords);
  const int64_t most = ceil_div(o.words(), std::max<int64_t>(parts, 1));
  for (int64_t word = 0; word < o.words(); word += most) {
    const int64_t by = 4 * word, n = std::min(most, o.words() - word);
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      if (!o.has(r, c)) return std::nullopt;
      const int64_t from = s.from + o.y.begin(r) * s.row + o.x.begin(c) * s.pixel;
      return copied_box({from + by, s.pixel, s.row}, {o.own(r, c) + by, o.pixel(), o.row(c)},
                        {o.x.own(c), o.y.own(r), n}, line);
    });
  }
}

// Four bytes become a word, by the rows of the unit matrix.
void transpose(Program& p, const TransposeSpec& t) {
  const SpreadSpec& s = t.places;
  const int64_t line = unit_matrix(p, s.scratch / 4, kConstantLine);
  const Map& o = *s.out;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!o.has(r, c)) return std::nullopt;
    const int64_t words = o.words(), w = o.x.own(c), h = o.y.own(r);
    TensorSpec spec = selection_of(words, w, h, line);
    spec.in = {.start = s.from + o.y.begin(r) * s.row + o.x.begin(c) * s.pixel,
               .dims = {{t.channel, 4 * words}, {s.pixel, w}, {s.row, h}, {s.row * h, 1}}};
    spec.out = {.start = o.own(r, c),
                .dims = {{4, words}, {o.pixel(), w}, {o.row(c), h}, {o.row(c) * h, 1}}};
    return tensor(spec, copy_numbers());
  });
}

}  // namespace edgetwin::edgetpu::compiler
