#include "targets/edgetpu/compile/layout/mesh.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <tuple>

#include "targets/edgetpu/compile/layout/ways.h"
#include "targets/edgetpu/forms/forms.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kPassWords = 4;       // of another tile's words that pass at a time
constexpr int64_t kMostPasses = 32000;  // of a counter of 16 bits

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
    for (size_t k = 0; k < parts_.size(); ++k) {
      if (parts_[k].distance() == 0) continue;
      move(parts_[k]);
      if (s_.counted || last_of_group(k)) even_out(parts_[k]);
    }
    if (s_.first && !p_.has_matrix()) {
      p_.settle();
      unit_matrix(p_, s_.scratch / 4, s_.matrix);
    }
    copy();
  }
  int64_t passes() const {
    int64_t all = 0;
    for (const Part& part : parts_) {
      for (int t = 0; t < kTiles && part.distance() > 1; ++t) {
        if (place(t) == part.from) all += ceil_div(words(part, t), kPassWords);
      }
    }
    return all;
  }

 private:
  const Axis& axis(const Map& m) const { return s_.rows ? m.y : m.x; }
  int place(int tile) const { return s_.rows ? tile / kGrid : tile % kGrid; }
  const Way& way(const Part& part) const {
    if (s_.rows) return part.forward() ? kDown : kUp;
    return part.forward() ? kRight : kLeft;
  }
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
    Dims dims{{1, n.words}, {n.words, n.columns}, {box.row / 4, n.rows}};
    while (dims.size() > 1 && dims.front().count == 1) dims.erase(dims.begin());
    return {.start = box.start / 4, .dims = without_ones(dims, 1)};
  }

  // The sender, all tiles between, the receiver. Receivers share an instruction where the whole
  // tensors are alike, too.
  void move(const Part& part) {
    const auto each = [&](const std::function<bool(int)>& of,
                          const std::function<void(Assembly&, int)>& put_sides,
                          const std::function<int(int, int)>& kind = {}) {
      add_by_tiles(
          p_,
          [&](int r, int c) -> std::optional<Assembly> {
            const int tile = r * kGrid + c;
            if (!of(place(tile)) || words(part, tile) <= 0) return std::nullopt;
            Assembly a(way(part).opcode);
            put_sides(a, tile);
            return a;
          },
          kind);
    };
    each([&](int k) { return k == part.from; },
         [&](Assembly& a, int tile) {
           const Walk box = walk(places(*s_.from, s_.from_at, part, tile), positions(part, tile));
           put(a, kSideA, box);
           put(a, kSideB, Walk{});
           if (s_.counted) a.set("counts.out", 1).set("counts.out.level", box.dims.size());
         });
    const int low = std::min(part.from, part.to), high = std::max(part.from, part.to);
    each([&](int k) { return k > low && k < high; },
         [&](Assembly& a, int tile) { pass(a, part, words(part, tile), tile); });
    each([&](int k) { return k == part.to; },
         [&](Assembly& a, int tile) {
           const Walk box = walk(places(*s_.to, s_.to_at, part, tile), positions(part, tile));
           put(a, kSideA, Walk{});
           put(a, kSideB, box);
           if (s_.counted) a.set("counts.in", 1).set("counts.in.level", box.dims.size());
         },
         [&](int r, int /*c*/) { return static_cast<int>(s_.to->y.total(r)); });
  }
  // Words of other tiles, a few at a time.
  void pass(Assembly& a, const Part& part, int64_t words, int tile) {
    const int64_t n = ceil_div(words, kPassWords), rest = words % kPassWords;
    Walk w{.start = s_.passing / 4, .dims = {{1, kPassWords}, {0, n}}};
    w = w.switched(1, kPassWords);
    if (rest != 0) w = w.shortened(rest, 1, kPassWords - rest);
    put(a, kSideA, w);
    put(a, kSideB, w);
    a.set("counts.out", 1).set("counts.out.level", 1);
    a.set("counts.in", 1).set("counts.in.level", 1);
    const int64_t base = base_[index(part)] + counted_[static_cast<size_t>(tile)];
    put_waits(a, {{way(part).in, 1, base + 1}, {way(part).out, 1, base - 1, 1, 1}}, true);
    counted_[static_cast<size_t>(tile)] += n;
  }
  size_t index(const Part& part) const { return part.forward() ? 1 : 0; }
  bool last_of_group(size_t k) const {
    const auto same = [&](const Part& q) {
      return q.distance() == parts_[k].distance() && q.forward() == parts_[k].forward();
    };
    return std::none_of(parts_.begin() + static_cast<std::ptrdiff_t>(k) + 1, parts_.end(), same);
  }
  // All tiles count as many as the one that most words passed; senders and receivers count one.
  void even_out(const Part& part) {
    const int64_t most = std::max<int64_t>(*std::ranges::max_element(counted_), s_.counted ? 1 : 0);
    if (most == 0) return;
    uint32_t tiles = 0;
    for (int t = 0; t < kTiles; ++t) {
      tiles |= counted_[static_cast<size_t>(t)] != most ? 1U << t : 0;
    }
    base_[index(part)] += most;
    const Way& w = way(part);
    const auto bit = [](TileCounter c) { return 1U << static_cast<uint32_t>(c); };
    p_.even_out(bit(w.in) | bit(w.out), w.engine, base_[index(part)], tiles);
    counted_.fill(0);
  }
  // What stays in its tile.
  void copy() {
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
  std::array<int64_t, 2> base_{};          // passes of all tiles: backwards, forwards
  std::array<int64_t, kTiles> counted_{};  // of a group
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
  if (mesh.passes() > kMostPasses) return false;
  mesh.run();
  const darwinn::Bitstream made = p.finish();
  return std::ranges::all_of(parse(made.data).instructions,
                             [](const Instruction& i) { return forms::is_known_coarse(i); });
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
