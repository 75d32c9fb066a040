#include <algorithm>
#include <array>
#include <bit>

#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {

std::vector<uint32_t> matrix_words(int one, int zero) {
  const uint32_t none = static_cast<uint32_t>(zero) * 0x01010101U;
  std::vector<uint32_t> words;
  for (unsigned k = 0; k < kMatrixWords; ++k) {
    words.push_back(none ^ static_cast<uint32_t>(one ^ zero) << (8 * k));
  }
  return words;
}

void fill_matrix(Program& p, int64_t scratch, const std::vector<uint32_t>& words) {
  for (const uint32_t word : words) {
    fill(p, Opcode::move_up, kAllTiles, {.start = scratch++, .dims = {{1, 1}}, .levels = 0}, word);
  }
}

void store_matrix(Program& p, int64_t scratch, int64_t line) {
  Assembly a = p.engine(Opcode::narrow_to_wide, kAllTiles);
  put(a, kSideA, {.start = scratch, .dims = {{1, kMatrixWords}}});
  put(a, kSideB, {.start = line, .dims = {{1, 1}}, .levels = 0});
  a.set("flush_level", 1);
  p.add(a);
  p.settle();
}

void word_matrix(Program& p, int64_t scratch, int64_t line) {
  for (unsigned k = 0; k < 4; ++k) {
    Assembly a = p.engine(Opcode::move_up, kAllTiles);
    put(a, kSideB, {.start = scratch + k, .dims = {{1, 1}}, .levels = 0});
    if (k == 3) a.set("counts.in", 1).set("counts.in.level", 1);
    p.add(a.set("fill", 1).set("pattern", 1U << (8 * k)));
  }
  Assembly a = p.engine(Opcode::narrow_to_wide, kAllTiles);
  put(a, kSideA, {.start = scratch, .dims = {{1, 4}}});
  put(a, kSideB, {.start = line, .dims = {{1, 1}}, .levels = 0});
  a.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", 1).set("flush_level", 1);
  put_waits(a, {{TileCounter::s_in, 1, 1, 0}}, true);
  p.add(a);
}

int64_t unit_matrix(Program& p, int64_t scratch, int64_t line, int one, int zero) {
  const std::vector<uint32_t> words = matrix_words(one, zero);
  if (p.vendor()) {
    const bool kept = one == 1 && zero == 0 && p.matrix_line() >= 0;
    line = kept ? p.matrix_line() : p.line(line);
    if (kept && p.takes_matrix()) return line;
  } else {
    const Program::Kept kept = p.keep(words, 1);
    if (kept.line >= 0) line = kept.line;
    if (kept.there) return line;
  }
  fill_matrix(p, scratch, words);
  p.settle();
  store_matrix(p, scratch, line);
  return line;
}

namespace {

// The places of a walk of two levels that are all wanted, each once; else none.
std::vector<size_t> wanted_places(const std::vector<bool>& wanted, size_t first, const Dims& d) {
  std::vector<size_t> all;
  for (int64_t k = 0; k < places(d); ++k) {
    const int64_t step = k % d[0].count * d[0].stride + k / d[0].count * d[1].stride;
    const size_t at = first + static_cast<size_t>(step);
    if (at >= wanted.size() || !wanted[at] || std::ranges::find(all, at) != all.end()) return {};
    all.push_back(at);
  }
  return all;
}

// Wanted places as walks: from the first one the largest of one level, or a larger one of two.
std::vector<Walk> walks_of(std::vector<bool> wanted) {
  const auto size = static_cast<int64_t>(wanted.size());
  std::vector<Walk> all;
  for (size_t first = 0; first < wanted.size(); ++first) {
    if (!wanted[first]) continue;
    Dims best = {{1, 1}, {0, 1}};
    const auto larger = [&](const Dims& d) {
      const auto n = wanted_places(wanted, first, d).size();
      if (static_cast<int64_t>(n) > places(best)) best = d;
      return n != 0;
    };
    for (int64_t step = 1; step < size; ++step) {
      for (int64_t n = 2; larger({{step, n}, {0, 1}}); ++n) continue;
    }
    for (int64_t step = 1; step < size; ++step) {
      for (int64_t n = 2; !wanted_places(wanted, first, {{step, n}, {0, 1}}).empty(); ++n) {
        for (int64_t by = 1; by < size; ++by) {
          for (int64_t m = 2; larger({{step, n}, {by, m}}); ++m) continue;
        }
      }
    }
    for (const size_t at : wanted_places(wanted, first, best)) wanted[at] = false;
    all.push_back({.start = static_cast<int64_t>(first), .dims = without_ones(best, 1)});
    if (places(best) == 1) all.back().levels = 0;
  }
  return all;
}

struct Same {
  uint32_t word = 0;
  Walk at;
};

// Which places of a list get which word: own programs as few fills as there are, the vendor's one
// for each run.
std::vector<Same> fills_of(const Program& p, const std::vector<uint32_t>& words, int64_t start) {
  std::vector<Same> all;
  std::vector<bool> done(words.size());
  for (size_t k = 0; k < words.size(); ++k) {
    if (done[k]) continue;
    std::vector<bool> wanted(words.size());
    size_t end = k;
    const auto wants = [&](size_t n) { return words[n] == words[k] && !done[n]; };
    for (; end < words.size() && (wants(end) || !p.vendor()); ++end) wanted[end] = wants(end);
    for (const Walk& w : walks_of(wanted)) {
      all.push_back({words[k], w});
      all.back().at.start += start;
    }
    for (size_t n = k; n < end; ++n) done[n] = done[n] || wanted[n];
  }
  return all;
}

}  // namespace

void write_lines(Program& p, const std::vector<uint32_t>& words, int64_t scratch, int64_t line,
                 bool counted) {
  struct Filler {
    Opcode move;
    TileCounter counter;
  };
  static constexpr std::array<Filler, 4> kFillers{{{Opcode::move_up, TileCounter::s_in},
                                                   {Opcode::move_right, TileCounter::w_in},
                                                   {Opcode::move_left, TileCounter::e_in},
                                                   {Opcode::move_down, TileCounter::n_in}}};
  std::array<int64_t, kFillers.size()> fills{};
  size_t turn = 0;
  for (const Same& same : fills_of(p, words, scratch / 4)) {
    const size_t filler = turn++ % kFillers.size();
    ++fills.at(filler);
    fill(p, kFillers.at(filler).move, kAllTiles, same.at, same.word, counted);
  }
  if (!counted) p.settle();
  const auto lines = static_cast<int64_t>(words.size()) / 4;
  Assembly a = p.engine(Opcode::narrow_to_wide, kAllTiles);
  Walk to{.start = line, .dims = {{1, lines}}};
  if (lines == 1) to.levels = 0;
  put(a, kSideA,
      {.start = scratch / 4, .dims = lines > 1 ? Dims{{1, 4}, {4, lines}} : Dims{{1, 4}}});
  put(a, kSideB, to);
  a.set("flush_level", 1);
  if (counted) {
    a.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", 1);
    std::vector<Wait> waits;
    const unsigned level = lines > 1 ? 2 : 1;
    for (const size_t k : {size_t{3}, size_t{0}, size_t{1}, size_t{2}}) {
      if (fills.at(k) != 0) waits.push_back({kFillers.at(k).counter, level, fills.at(k)});
    }
    put_waits(a, waits, true);
  }
  p.add(a);
  if (!counted) p.settle();
}

void load_function(Program& p, const numerics::edgetpu::FunctionTable& table, uint32_t tiles) {
  Assembly a = p.engine(Opcode::table, tiles);
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

int64_t pair_constants(Program& p, int32_t weight_a, int32_t weight_b, int32_t zero,
                       int64_t scratch, int64_t line, bool counted) {
  const auto pair = [zero](int32_t first, int32_t second) {
    return static_cast<uint32_t>(first + zero) | static_cast<uint32_t>(second + zero) << 16U;
  };
  const uint32_t a = pair(weight_a, 0), c = pair(0, weight_a), none = pair(0, 0);
  const uint32_t b = pair(weight_b, 0), d = pair(0, weight_b);
  const std::vector<uint32_t> words{a, c, none, none, none, none, a, c,
                                    b, d, none, none, none, none, b, d};
  const Program::Kept kept = p.keep(words, static_cast<int64_t>(words.size()) / 4);
  if (kept.line >= 0) line = kept.line;
  if (!kept.there) write_lines(p, words, scratch, line, counted);
  return line;
}

Assembly two_operands(const Places& in, int64_t distance, const Places& out, const Positions& n,
                      const Numbers& numbers, int64_t line, bool counted) {
  TensorSpec spec;
  spec.loop = {2, 2};
  for (const int64_t count : {n.columns, n.rows, n.words}) {
    if (count != 1) spec.loop.push_back(count);
  }
  const auto walk = [&](const Places& box, Dims dims) {
    const int64_t whole = box.all != 0 ? box.all : box.row * n.rows;
    for (const Dim& d : Dims{{box.pixel, n.columns}, {box.row, n.rows}, {whole, 1}, {4, n.words}}) {
      dims.push_back(d);
    }
    return Walk{.start = box.start, .dims = std::move(dims)};
  };
  spec.in = walk(in, {{2, 2}, {distance, 2}});
  spec.out = walk(out, {{4, 1}});
  const int64_t all = n.columns * n.rows * n.words;
  spec.weight = {.start = 4 * line, .dims = {{4, 4}, {0, all}}};
  spec.acc.dims = {{0, 4}, {0, all}};
  spec.acc = spec.acc.switched(1, 4);
  spec.avdata_level = 4;
  spec.kind = 0xB0;
  spec.role = Role::two_operands;
  if (counted) {
    const auto levels = static_cast<unsigned>(spec.loop.size());
    spec.waits = {{TileCounter::narrow_to_wide, levels, 1}};
    spec.role = weighted(levels - 1, 1);
  }
  return tensor(spec, numbers);
}

void constant(Program& p, const ConstantSpec& s) {
  const Map& m = *s.map;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!m.has(r, c)) return std::nullopt;
    const int64_t words = m.x.own(c) * m.words(), rows = m.y.own(r);
    Assembly a(Opcode::wide_to_narrow);
    put(a, kSideA, {.start = s.line, .dims = {{1, ceil_div(words * rows, kLineWords)}}});
    put(a, kSideB,
        {.start = m.own(r, c) / 4,
         .dims = fused(without_ones({{1, words}, {m.row(c) / 4, rows}}, 1))});
    return a.set("counts.wide_to_narrow", 1).set("flush_level", 1);
  });
}

void addition(Program& p, const AddSpec& s) {
  const int64_t line = pair_constants(p, s.weight_a, s.weight_b, s.numbers.weight_zero, s.scratch,
                                      s.line, s.counted);
  const Map &x = *s.a, &y = *s.b, &o = *s.out;
  // Some words of all pixels at a time where a tile has more words than can be counted.
  const int64_t parts = ceil_div(o.y.own(0) * o.x.own(0) * o.words(), kMostWords);
  const int64_t most = ceil_div(o.words(), std::max<int64_t>(parts, 1));
  for (int64_t word = 0; word < o.words(); word += most) {
    const int64_t words = std::min(most, o.words() - word), by = 4 * word;
    add_by_tiles(p, [&](int r, int k) -> std::optional<Assembly> {
      if (!o.has(r, k)) return std::nullopt;
      // Of its whole buffer in the vendor's style, borders among it.
      const int64_t whole = p.vendor() ? o.y.total(r) * o.row(k) : 0;
      return two_operands({x.own(r, k) + by, x.pixel(), x.row(k)}, y.own(r, k) - x.own(r, k),
                          {o.own(r, k) + by, o.pixel(), o.row(k), whole},
                          {o.x.own(k), o.y.own(r), words}, s.numbers, line, s.counted);
    });
  }
}

}  // namespace edgetwin::edgetpu::compiler
