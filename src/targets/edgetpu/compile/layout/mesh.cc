#include "targets/edgetpu/compile/layout/mesh.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <tuple>

#include "targets/edgetpu/compile/layout/mesh_moves.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Places [low, high) of the axis that go from one tile of it to another.
struct Part {
  int from = 0, to = 0;
  int64_t low = 0, high = 0;
  int distance() const { return std::abs(to - from); }
  bool forward() const { return to > from; }
};

class Mesh {
 public:
  Mesh(Program& p, const MeshSpec& s) : p_(p), s_(s) {
    const Axis &a = axis(*s.from), &b = axis(*s.to);
    for (int f = 0; f < kGrid; ++f) {
      for (int t = 0; t < kGrid; ++t) {
        const int64_t begin = s.from_at + a.begin(f), other = s.to_at + b.begin(t);
        const Part part{f, t, std::max(begin, other), std::min(begin + a.own(f), other + b.own(t))};
        if (part.low < part.high) parts_.push_back(part);
      }
    }
    // By distance, then by the tiles that are left to the edge, then left before right.
    std::ranges::stable_sort(parts_, {}, [](const Part& q) {
      return std::tuple(q.distance(), q.forward() ? kGrid - 1 - q.to : q.to, q.forward());
    });
  }

  void run() {
    MeshMover(p_, s_.passing, s_.counted).run(legs());
    copy();
  }
  // That one copy moves.
  int64_t most_words_copied() const {
    int64_t most = 0;
    for (const Part& part : parts_) {
      for (int t = 0; t < kTiles && part.distance() == 0; ++t) {
        if (place(t) == part.from) most = std::max(most, words(part, t));
      }
    }
    return most;
  }
  std::vector<MeshLeg> legs() const {
    std::vector<MeshLeg> all;
    for (const Part& part : parts_) {
      if (part.distance() != 0) all.push_back(leg(part));
    }
    return all;
  }

 private:
  const Axis& axis(const Map& m) const { return s_.rows ? m.y : m.x; }
  int place(int tile) const { return s_.rows ? tile / kGrid : tile % kGrid; }
  Positions positions(const Part& part, int tile) const {
    const Map& m = *s_.from;
    const int64_t n = part.high - part.low;
    return {s_.rows ? m.x.own(tile % kGrid) : n, s_.rows ? n : m.y.own(tile / kGrid), m.words()};
  }
  int64_t words(const Part& part, int tile) const {
    const Positions n = positions(part, tile);
    return n.columns * n.rows * n.words;
  }
  // In the buffer of a tile, in bytes.
  Places places(const Map& m, int64_t at, const Part& part, int tile) const {
    const int r = tile / kGrid, c = tile % kGrid;
    const int64_t before = part.low - at - axis(m).begin(place(tile));
    return {m.own(r, c) + before * (s_.rows ? m.row(c) : m.pixel()), m.pixel(), m.row(c),
            m.y.total(r) * m.row(c)};
  }
  Walk walk(const Places& box, const Positions& n) const {
    return box_walk(box.start / 4, {{1, n.words}, {n.words, n.columns}, {box.row / 4, n.rows}});
  }
  MeshLeg leg(const Part& part) const {
    MeshLeg made{s_.rows, part.from, part.to, {}};
    for (int line = 0; line < kGrid; ++line) {
      const int from = s_.rows ? part.from * kGrid + line : line * kGrid + part.from;
      const int to = s_.rows ? part.to * kGrid + line : line * kGrid + part.to;
      if (words(part, from) <= 0) continue;
      made.lines.at(static_cast<size_t>(line)) = {
          walk(places(*s_.from, s_.from_at, part, from), positions(part, from)),
          walk(places(*s_.to, s_.to_at, part, to), positions(part, to)), words(part, from),
          static_cast<int>(s_.to->y.total(to / kGrid))};
    }
    return made;
  }
  // What stays in its tile.
  void copy() {
    if (s_.first && !p_.has_matrix()) {
      p_.settle();
      unit_matrix(p_, s_.scratch / 4, s_.matrix);
    }
    add_by_tiles(p_, [&](int r, int c) -> std::optional<Assembly> {
      const int tile = r * kGrid + c;
      const auto part = std::ranges::find_if(
          parts_, [&](const Part& q) { return q.distance() == 0 && q.from == place(tile); });
      if (part == parts_.end() || words(*part, tile) <= 0) return std::nullopt;
      return without_count(copied_box(places(*s_.from, s_.from_at, *part, tile),
                                      places(*s_.to, s_.to_at, *part, tile), positions(*part, tile),
                                      s_.matrix));
    });
  }

  Program& p_;
  const MeshSpec& s_;
  std::vector<Part> parts_;
};

Dims box_of(const Map& m, int r, int c) {
  return without_ones({{1, m.x.own(c) * m.words()}, {m.row(c) / 4, m.y.own(r)}}, 1);
}

}  // namespace

void mesh(Program& p, const MeshSpec& s) {
  if (!p.after_epoch()) p.epoch();
  Mesh(p, s).run();
  p.epoch();
}

bool can_mesh(const MeshSpec& s) {
  Program p(Style::vendor);
  p.begin();
  Mesh mesh(p, s);
  if (passes_of(mesh.legs()) > kMostPasses || mesh.most_words_copied() > kMostWords) return false;
  mesh.run();
  return has_known_forms(p);
}

int64_t save_lines(const Map& m) {
  int64_t most = 0;
  for (int t = 0; t < kTiles; ++t) {
    most = std::max(most, m.x.own(t % kGrid) * m.y.own(t / kGrid) * m.words());
  }
  return ceil_div(most, kLineWords);
}

namespace {

// Between lines and the tile's part.
void keep(Program& p, const SaveSpec& s, Opcode opcode) {
  const Map& m = *s.map;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!m.has(r, c)) return std::nullopt;
    const Walk box{.start = m.own(r, c) / 4, .dims = box_of(m, r, c)};
    const int64_t words = m.x.own(c) * m.y.own(r) * m.words();
    const Walk lines{.start = s.line, .dims = {{1, ceil_div(words, kLineWords)}}};
    const bool out = opcode == Opcode::narrow_to_wide;
    Assembly a(opcode);
    put(a, kSideA, out ? box : lines);
    put(a, kSideB, out ? lines : box);
    return a.set("flush_level", 2);
  });
}

}  // namespace

void save(Program& p, const SaveSpec& s) { keep(p, s, Opcode::narrow_to_wide); }
void restore(Program& p, const SaveSpec& s) { keep(p, s, Opcode::wide_to_narrow); }

}  // namespace edgetwin::edgetpu::compiler
