#include <array>

#include "targets/edgetpu/compile/templates/layers.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kBurst = 16;  // words of a pixel that go together

// A rectangle of a tile's buffer, in words.
struct Box {
  int64_t row = 0, rows = 0, column = 0, columns = 0;
  bool empty() const { return rows <= 0 || columns <= 0; }
};

// `ones`: levels of one pass are declared, too.
Walk walk_of(const Map& m, const Box& box, int c, bool ones, bool by_words) {
  const int64_t w = m.words(), row = m.x.total(c) * w;
  Walk walk{.start = m.base / 4 + box.row * row + box.column * w};
  if (by_words && w > 1) {
    walk.dims = without_ones({{w, box.columns}, {row, box.rows}}, ones ? 2 : 0);
    if (walk.dims.empty()) walk.dims = {{1, 1}};
    walk.dims.push_back({1, w});
    return walk;
  }
  if (w == 1) {
    walk.dims = without_ones({{1, box.columns}, {row, box.rows}}, ones ? 2 : 0);
    if (walk.dims.empty()) walk.dims = {{1, 1}};
    return walk;
  }
  walk.dims =
      without_ones({{1, std::min(w, kBurst)}, {w, box.columns}, {row, box.rows}}, ones ? 3 : 1);
  if (w <= kBurst) return walk;
  walk.dims.push_back({kBurst, (w + kBurst - 1) / kBurst});
  if (w % kBurst == 0) return walk;
  return walk.shortened(w % kBurst, static_cast<unsigned>(walk.dims.size() - 1),
                        kBurst - w % kBurst);
}

struct Arrived {  // what counts the words that must be there before it sends, and from where on
  TileCounter counter;
  int64_t start = 1;
};

struct Sides {
  Box sent, received;
  bool filled = false;
  std::vector<Arrived> after{};
  // Before them what comes to the same border, where it sends more than its own.
  static std::vector<Arrived> with(std::vector<Arrived> all, bool more, const Arrived& border) {
    if (more) all.insert(all.begin(), border);
    return all;
  }
};

// Level whose passes are groups of channels.
unsigned group_level(const Map& m, const Walk& walk, bool by_words) {
  if (by_words && m.words() > 1) return static_cast<unsigned>(walk.dims.size()) - 1U;
  return static_cast<unsigned>(walk.dims.size()) - (m.words() > kBurst ? 1U : 0U);
}

// Moves count groups that arrived, and those that send them on wait for them.
void put_order(Assembly& a, const Map& m, const Sides& s, const Walk& sent, const Walk& received,
               bool by_words) {
  if (!s.received.empty()) {
    a.set("counts.in", 1).set("counts.in.level", group_level(m, received, by_words));
  }
  if (s.sent.empty()) return;
  std::vector<Wait> waits;
  for (const Arrived& before : s.after) {
    waits.push_back({before.counter, group_level(m, sent, by_words), before.start});
  }
  put_waits(a, waits, true);
}

// Whole groups of all pixels, or what is left of them, each with all levels.
Walk groups_of(const Map& m, const Box& box, int c, bool rest) {
  const int64_t w = m.words(), row = m.x.total(c) * w, groups = w / kBurst;
  const int64_t first = m.base / 4 + box.row * row + box.column * w;
  return {.start = first + (rest ? groups * kBurst : 0),
          .dims = {{1, rest ? w % kBurst : kBurst},
                   {w, box.columns},
                   {row, box.rows},
                   {kBurst, rest ? 1 : groups}}};
}

Assembly filled(Opcode opcode, const Walk& words, int zero) {
  Assembly a(opcode);
  put(a, kSideA, {});
  put(a, kSideB, words);
  a.set("counts.in", 1).set("counts.in.level", words.dims.size() - 1);
  return a.set("fill", 1).set("pattern", static_cast<uint64_t>(zero) * 0x01010101U);
}

void move(Program& p, const Map& m, Opcode opcode, int zero, bool by_words,
          const std::function<Sides(int r, int c)>& sides) {
  uint32_t apart = 0;  // tiles in which the last words of all pixels are filled afterwards
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    const Sides s = sides(r, c);
    if (s.sent.empty() && s.received.empty()) return std::nullopt;
    std::vector<Assembly> all;
    for (const bool ones : {false, true}) {
      Assembly a(opcode);
      const Walk sent = s.sent.empty() ? Walk{} : walk_of(m, s.sent, c, ones, by_words);
      const Walk received = s.received.empty() ? Walk{} : walk_of(m, s.received, c, ones, by_words);
      put(a, kSideA, sent);
      put(a, kSideB, received);
      put_order(a, m, s, sent, received, by_words);
      if (!s.received.empty() && s.filled) {
        a.set("fill", 1).set("pattern", static_cast<uint64_t>(zero) * 0x01010101U);
      }
      all.push_back(std::move(a));
    }
    const bool short_group = !by_words && m.words() > kBurst && m.words() % kBurst != 0;
    if (short_group && s.sent.empty() && s.filled && !is_known(first_known(all))) {
      apart |= 1U << (r * kGrid + c);
      return filled(opcode, groups_of(m, s.received, c, false), zero);
    }
    return first_known(all);
  });
  if (apart == 0) return;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if ((apart >> (r * kGrid + c) & 1U) == 0) return std::nullopt;
    return filled(opcode, groups_of(m, sides(r, c).received, c, true), zero);
  });
}

int64_t at(const std::array<int64_t, kGrid>& border, int t) {
  return t < 0 || t >= kGrid ? 0 : border[static_cast<size_t>(t)];
}

// `before`: how many had come from above and from below before the rows of this border do.
void vertical(Program& p, const Map& m, int zero, bool by_words, const std::vector<Arrived>& made,
              const std::array<int64_t, 2>& before) {
  const Axis &y = m.y, &x = m.x;
  const int last = y.last();
  const auto box = [&](int c, int64_t row, int64_t rows) {
    return Box{row, rows, at(x.front, c), x.own(c)};
  };
  move(p, m, Opcode::move_up, zero, by_words, [&](int r, int c) {
    const int64_t own = at(y.front, r), above = r <= last ? at(y.back, r - 1) : 0;
    return Sides{box(c, own, above), box(c, own + y.own(r), at(y.back, r)), r == last,
                 Sides::with(made, above > y.own(r), {TileCounter::s_in, before[1] + 1})};
  });
  move(p, m, Opcode::move_down, zero, by_words, [&](int r, int c) {
    const int64_t next = at(y.front, r + 1);
    return Sides{box(c, at(y.front, r) + y.own(r) - next, next), box(c, 0, at(y.front, r)), r == 0,
                 Sides::with(made, next > y.own(r), {TileCounter::n_in, before[0] + 1})};
  });
}

// `before`: how many had come from above and from below before the rows of this border did.
void horizontal(Program& p, const Map& m, int zero, bool by_words, const std::vector<Arrived>& made,
                const std::array<int64_t, 2>& before) {
  const Axis &y = m.y, &x = m.x;
  const int last = x.last();
  const std::array<int64_t, 2> came{p.since_barrier(TileCounter::e_in),
                                    p.since_barrier(TileCounter::w_in)};
  const auto box = [&](int r, int64_t column, int64_t columns) {
    return Box{y.need_begin(r), y.need_end(r) - y.need_begin(r), column, columns};
  };
  const auto after = [&](int r) {
    std::vector<Arrived> all = made;
    if (at(y.front, r) > 0) all.push_back({TileCounter::n_in, before[0] + 1});
    if (at(y.back, r) > 0) all.push_back({TileCounter::s_in, before[1] + 1});
    return all;
  };
  move(p, m, Opcode::move_left, zero, by_words, [&](int r, int c) {
    const int64_t own = at(x.front, c), left = c <= last ? at(x.back, c - 1) : 0;
    return Sides{box(r, own, left), box(r, own + x.own(c), at(x.back, c)), c == last,
                 Sides::with(after(r), left > x.own(c), {TileCounter::e_in, came[0] + 1})};
  });
  move(p, m, Opcode::move_right, zero, by_words, [&](int r, int c) {
    const int64_t next = at(x.front, c + 1);
    return Sides{box(r, at(x.front, c) + x.own(c) - next, next), box(r, 0, at(x.front, c)), c == 0,
                 Sides::with(after(r), next > x.own(c), {TileCounter::w_in, came[1] + 1})};
  });
}

}  // namespace

void halo(Program& p, const Map& m, int zero, Behind behind) {
  std::vector<Arrived> made;
  if (behind != Behind::barrier) made.push_back({TileCounter::avdata});
  // Constants of sums come to all tiles alike.
  const std::array<int64_t, 2> before{p.since_barrier(TileCounter::n_in),
                                      p.since_barrier(TileCounter::s_in)};
  const bool by_words = behind == Behind::words;
  if (m.y.bordered()) vertical(p, m, zero, by_words, made, before);
  if (m.x.bordered()) horizontal(p, m, zero, by_words, made, before);
}

}  // namespace edgetwin::edgetpu::compiler
