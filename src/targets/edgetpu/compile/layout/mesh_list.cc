#include "targets/edgetpu/compile/layout/mesh_list.h"

#include <algorithm>

#include "targets/edgetpu/compile/layout/mesh_moves.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kListBlock = 16;  // words of a block of a vector

// Words of the picture in the order of rows, columns and channels.
struct Words {
  int64_t begin = 0, end = 0;
  int64_t size() const { return std::max<int64_t>(end - begin, 0); }
};
Words common(const Words& a, const Words& b) {
  return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

class MeshList {
 public:
  MeshList(Program& p, const MeshListSpec& s) : p_(p), s_(s) {
    for (int r = 0; r < kGrid; ++r) {
      const Words own = own_of(r), need = need_of(r);
      Words& held = held_.at(static_cast<size_t>(r));
      held = own.size() == 0 ? need
             : need.size() == 0
                 ? own
                 : Words{std::min(own.begin, need.begin), std::max(own.end, need.end)};
    }
  }
  int64_t bytes() const {
    int64_t most = 0;
    for (const Words& w : held_) most = std::max(most, 4 * w.size());
    return most;
  }
  int64_t passes() const {
    return std::max({passes_of(columns()), passes_of(rows()), passes_of(list_legs())});
  }
  // That one copy moves.
  int64_t most_words_copied() const {
    int64_t most = 0;
    for (int r = 0; r < kGrid; ++r) {
      most = std::max({most, words(box(r, 0)), part(r, 0).count * s_.to->words()});
    }
    return most;
  }
  void run() {
    copy_first_column();
    move(columns());
    p_.settle();
    move(rows());
    p_.settle();
    copy_to_list();
    move(list_legs());
  }

 private:
  bool blocks() const { return s_.from->y.everywhere; }
  int64_t pixel() const { return s_.from->words(); }
  int64_t row() const { return s_.from->x.size * pixel(); }
  int64_t all() const { return s_.from->y.size * row(); }
  bool in_columns() const { return s_.to->y.size == 1; }  // along the first row of tiles

  // What the tiles of a row have together.
  Words own_of(int r) const {
    if (blocks()) {
      const auto at = [&](int t) { return std::min<int64_t>(t * kGrid * kListBlock, all()); };
      return {at(r), at(r + 1)};
    }
    const Axis& y = s_.from->y;
    return {y.begin(r) * row(), (y.begin(r) + y.own(r)) * row()};
  }
  // The positions that a row of tiles has of the list: the smallest box of rows, columns and
  // channels with all of them.
  Words need_of(int r) const {
    const Axis& list = in_columns() ? s_.to->x : s_.to->y;
    if (in_columns() && r != 0) return {};
    const int64_t word = s_.to->words(), first = in_columns() ? 0 : list.begin(r) * word;
    const int64_t end = in_columns() ? all() : first + list.own(r) * word;
    if (first >= end) return {};
    for (const int64_t unit : {word, pixel()}) {
      const int64_t within = unit == word ? pixel() : row();
      if (first / within == (end - 1) / within) {
        return {first / unit * unit, ceil_div(end, unit) * unit};
      }
    }
    return {first / row() * row(), ceil_div(end, row()) * row()};
  }
  const Words& held(int r) const { return held_.at(static_cast<size_t>(r)); }
  // Of a word, in the tile of the first column that has it.
  int64_t place(int r, int64_t word) const { return s_.gathered / 4 + word - held(r).begin; }

  // Rows, columns and channels of consecutive words, which are whole in all but the outermost one.
  Dims dims_of(const Words& w) const {
    if (blocks() || w.size() % pixel() != 0) return {{1, w.size()}};
    if (w.size() % row() != 0) return {{1, pixel()}, {pixel(), w.size() / pixel()}};
    return {{1, pixel()}, {pixel(), s_.from->x.size}, {row(), w.size() / row()}};
  }

  // Of tile (r, c): its words where they are, and in the first column.
  struct Box {
    Places out, in;  // bytes
    Positions n;
  };
  Box box(int r, int c) const {
    if (blocks()) {
      const int64_t first = (r * kGrid + c) * kListBlock;
      const int64_t n = std::clamp<int64_t>(all() - first, 0, kListBlock);
      const int64_t whole = 4 * all(), there = 4 * held(r).size();
      return {{s_.from->base + (s_.apart ? 4 * first : 0), whole, whole, whole},
              {4 * place(r, first), there, there, there},
              {n > 0 ? 1 : 0, 1, n}};
    }
    const Map& m = *s_.from;
    const int64_t first = m.y.begin(r) * row() + m.x.begin(c) * pixel();
    return {{m.own(r, c), m.pixel(), m.row(c), m.y.total(r) * m.row(c)},
            {4 * place(r, first), m.pixel(), 4 * row(), 4 * held(r).size()},
            {m.x.own(c), m.y.own(r), pixel()}};
  }
  static int64_t words(const Box& b) { return b.n.columns * b.n.rows * b.n.words; }
  static Walk walk(const Places& at, const Positions& n) {
    return box_walk(at.start / 4, {{1, n.words}, {at.pixel / 4, n.columns}, {at.row / 4, n.rows}});
  }

  void copy_first_column() {
    add_by_tiles(p_, [&](int r, int c) -> std::optional<Assembly> {
      if (c != 0 || words(box(r, c)) == 0) return std::nullopt;
      const Box b = box(r, c);
      return without_count(copied_box(b.out, b.in, b.n, s_.matrix));
    });
  }
  std::vector<MeshLeg> columns() const {
    std::vector<MeshLeg> legs;
    for (int c = 1; c < kGrid; ++c) {
      MeshLeg leg{false, c, 0, {}};
      for (int r = 0; r < kGrid; ++r) {
        const Box b = box(r, c);
        if (words(b) == 0) continue;
        leg.lines.at(static_cast<size_t>(r)) = {walk(b.out, b.n), walk(b.in, b.n), words(b),
                                                static_cast<int>(held(r).size())};
      }
      add(legs, leg);
    }
    return legs;
  }
  // Of each row of tiles what others have of it, from the one that is farthest away on.
  std::vector<MeshLeg> rows() const {
    std::vector<MeshLeg> legs;
    for (int to = 0; to < kGrid; ++to) {
      for (int from = kGrid - 1; from >= 0; --from) {
        const Words own = own_of(to), there = own_of(from);
        if (from == to || there.size() == 0) continue;
        const Words missing = own.size() == 0 ? held(to)
                              : from < to     ? Words{held(to).begin, own.begin}
                                              : Words{own.end, held(to).end};
        const Words w = common(missing, there);
        if (w.size() == 0) continue;
        MeshLeg leg{true, from, to, {}};
        leg.lines[0] = {box_walk(place(from, w.begin), dims_of(w)),
                        box_walk(place(to, w.begin), dims_of(w)), w.size(), 0};
        add(legs, leg);
      }
    }
    return legs;
  }
  static void add(std::vector<MeshLeg>& legs, const MeshLeg& leg) {
    const auto moves = [](const MeshLeg::Line& line) { return line.words > 0; };
    if (std::ranges::any_of(leg.lines, moves)) legs.push_back(leg);
  }
  // Each way has counters of its own, which none of the three shares.
  void move(const std::vector<MeshLeg>& legs) {
    MeshMover(p_, s_.passing, s_.counted).run(legs, true);
  }

  // Positions of a tile, and where the tile of the first column has them.
  struct Part {
    int64_t count = 0;
    int64_t from = 0, to = 0;  // words
  };
  Part part(int r, int c) const {
    const Axis& list = in_columns() ? s_.to->x : s_.to->y;
    const int t = in_columns() ? c : r, row = in_columns() ? 0 : r;
    return {list.own(t), place(row, list.begin(t) * s_.to->words()), s_.to->own(r, c) / 4};
  }
  std::vector<MeshLeg> list_legs() const {
    std::vector<MeshLeg> legs;
    const int64_t word = s_.to->words();
    for (int c = 1; c < kGrid && in_columns(); ++c) {
      const Part q = part(0, c);
      const Dims dims{{1, word}, {word, q.count}};
      MeshLeg leg{false, 0, c, {}};
      leg.lines[0] = {box_walk(q.from, dims), box_walk(q.to, dims), q.count * word, 0};
      add(legs, leg);
    }
    return legs;
  }
  void copy_to_list() {
    add_by_tiles(p_, [&](int r, int c) -> std::optional<Assembly> {
      const Part q = part(r, c);
      if (c != 0 || (in_columns() && r != 0) || q.count == 0) return std::nullopt;
      const int64_t pixel = s_.to->pixel();
      const int64_t columns = in_columns() ? q.count : 1, rows = in_columns() ? 1 : q.count;
      const int64_t row = in_columns() ? s_.to->x.size * pixel : pixel;
      const int64_t whole = in_columns() ? row : q.count * pixel;
      return without_count(copied_box({4 * q.from, pixel, row, whole},
                                      {4 * q.to, pixel, columns * pixel},
                                      {columns, rows, s_.to->words()}, s_.matrix));
    });
  }

  Program& p_;
  const MeshListSpec& s_;
  std::array<Words, kGrid> held_{};  // by the tiles of the first column
};

}  // namespace

int64_t mesh_list_bytes(const MeshListSpec& spec) {
  Program none;
  return MeshList(none, spec).bytes();
}

bool can_list(const MeshListSpec& spec) {
  Program p(Style::vendor);
  p.begin();
  MeshList list(p, spec);
  if (list.passes() > kMostPasses || list.most_words_copied() > kMostWords) return false;
  list.run();
  return has_known_forms(p);
}

void mesh_list(Program& p, const MeshListSpec& spec) {
  if (!p.has_matrix()) {
    p.settle();
    unit_matrix(p, spec.scratch / 4, spec.matrix);
  }
  MeshList(p, spec).run();
  p.epoch();
  p.epoch();
  if (spec.leaves) return;
  p.epoch();
  p.reset_ring();
  p.epoch();
}

}  // namespace edgetwin::edgetpu::compiler
