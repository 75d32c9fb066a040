#include "targets/edgetpu/compile/layout/gather.h"

#include <algorithm>
#include <array>

#include "targets/edgetpu/compile/layout/copied_lines.h"
#include "targets/edgetpu/compile/layout/mesh_moves.h"
#include "targets/edgetpu/compile/layout/sequences.h"
#include "targets/edgetpu/compile/layout/ways.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kBlockWords = 16;
constexpr int64_t kRowWords = kGrid * kBlockWords;  // that a row of tiles sums
constexpr int64_t kMostPassing = 32000;             // of a counter of 16 bits

// Of one step of the mesh: what a tile sends and what it receives.
struct Move {
  int tile = 0;
  std::optional<Walk> sent{}, received{};
  int64_t passed = 0;
};

class Gather {
 public:
  Gather(Program& p, const MeshGatherSpec& s)
      : p_(p), s_(s), m_(*s.map), words_(m_.words() - kBlockWords * s.first), shared_(p) {}

  void run() {
    make_matrix();
    along_columns();
    p_.epoch();
    for (Counts& c : counts_) c = {};
    along_rows();
    p_.epoch();
  }
  // Rows of a tile's part follow each other.
  bool without_borders() const {
    for (int t = 0; t < kTiles; ++t) {
      const int r = t / kGrid, c = t % kGrid;
      if (m_.has(r, c) && m_.row(c) != m_.x.own(c) * m_.pixel()) return false;
    }
    return true;
  }
  int64_t most_passing() const { return most_passing_; }
  int64_t most_lines() const { return most_lines_; }

 private:
  struct Counts {
    std::array<int64_t, 4> in{}, out{};  // by the words of `passing`
    int64_t narrow_to_wide = 0;
  };
  static size_t index(const Way& w) { return static_cast<size_t>(w.passing) / 2; }

  // Of a row of tiles; of a tile of it.
  int64_t row_words(int q) const {
    return std::clamp<int64_t>(words_ - kRowWords * q, 0, kRowWords);
  }
  int64_t block_words(int q, int d) const {
    return std::clamp<int64_t>(row_words(q) - kBlockWords * d, 0, kBlockWords);
  }
  bool has_columns(int c) const { return m_.x.own(c) != 0; }

  // What is gathered is copied by the matrix in the vendor's programs; it is made here where no
  // step before has one, and is counted.
  void make_matrix() {
    if (p_.takes_matrix()) return;
    word_matrix(p_, s_.ones / 4 + 1, p_.matrix_line());
    p_.settle();
    for (Counts& c : counts_) c.in[index(kUp)] = c.narrow_to_wide = 1;
  }

  // From `from` to `to` inside of a tile, in words.
  void copy(int tile, int64_t from, int64_t to, const CopiedLines& l) {
    most_lines_ = std::max(most_lines_, l.count);
    Assembly n2w(Opcode::narrow_to_wide), w2n(Opcode::wide_to_narrow);
    Walk read{.start = from, .dims = l.from}, written{.start = to, .dims = l.to};
    Walk line{.start = s_.line, .dims = {{1, 1}}};
    if (l.count > 1) {
      line.dims = {{0, l.count}};
      line = line.switched(0, 1);
      put_waits(n2w, {{TileCounter::wide_to_narrow, 0, -1, 1, 1}}, true);
    }
    if (l.last != 0) {
      read = read.shortened(l.last, 1, kLineWords - l.last);
      written = written.shortened(l.last, 1, kLineWords - l.last);
    }
    put(n2w, kSideA, read);
    put(n2w, kSideB, line);
    n2w.set("counts.narrow_to_wide", 1).set("flush_level", l.from_levels);
    put(w2n, kSideA, line);
    put(w2n, kSideB, written);
    w2n.set("counts.wide_to_narrow", 1).set("flush_level", l.to_levels);
    w2n.set("counts.wide_to_narrow.level", l.count > 1 ? l.to_levels : l.to_levels - 1);
    const int64_t before = counts_.at(static_cast<size_t>(tile)).narrow_to_wide;
    put_waits(w2n, {{TileCounter::narrow_to_wide, 0, before + 1}}, true);
    SharedSequences::Sequence pair{kCopies};
    shared_.add(n2w, tile, pair);
    shared_.add(w2n, tile, pair);
  }

  // To one tile of a row or column of tiles, from all of them that lie before or after it, the
  // nearest first: the sender, those between, the receiver.
  template <class TileOf, class SentOf, class ReceivedOf>
  static std::vector<Move> moves_to(int to, bool forward, const TileOf& tile_of,
                                    const SentOf& sent_of, const ReceivedOf& received_of) {
    std::vector<Move> moves;
    const int by = forward ? 1 : -1;
    for (int from = to - by; from >= 0 && from < kGrid; from -= by) {
      const std::optional<Walk> sent = sent_of(from);
      if (!sent) continue;
      moves.push_back({tile_of(from), sent, {}});
      for (int k = from + by; k != to; k += by) {
        moves.push_back({tile_of(k), {}, {}, places(sent->dims)});
      }
      moves.push_back({tile_of(to), {}, received_of(from)});
    }
    return moves;
  }
  // What a tile receives last and what it sends on next are one instruction.
  static bool join(std::vector<Move>& before, std::vector<Move>& next) {
    if (before.empty() || next.empty() || next.front().tile != before.back().tile) return false;
    before.back().sent = next.front().sent;
    next.erase(next.begin());
    return true;
  }

  // Tiles share until the first that both receives and sends.
  void add_moves(const std::vector<Move>& moves, const Way& way,
                 SharedSequences::Sequence& sequence) {
    for (const Move& m : moves) {
      Assembly a(way.opcode);
      Counts& c = counts_.at(static_cast<size_t>(m.tile));
      int64_t &in = c.in.at(index(way)), &out = c.out.at(index(way));
      if (m.passed != 0) {
        most_passing_ = std::max(most_passing_, std::max(in, out) + m.passed);
        const Walk words =
            Walk{.start = s_.passing / 4 + way.passing, .dims = {{0, m.passed}}}.switched(0, 1);
        put(a, kSideA, words);
        put(a, kSideB, words);
        a.set("counts.out", 1).set("counts.in", 1);
        put_waits(a, {{way.in, 0, in + 1}, {way.out, 0, out - 1, 1, 1}}, true);
        in += m.passed, out += m.passed;
      } else {
        put(a, kSideA, m.sent.value_or(Walk{}));
        put(a, kSideB, m.received.value_or(Walk{}));
        if (m.sent) {
          a.set("counts.out", 1).set("counts.out.level", level_of(*m.sent));
          out += counted(*m.sent);
        }
        if (m.received) {
          a.set("counts.in", 1).set("counts.in.level", level_of(*m.received));
          in += counted(*m.received);
        }
      }
      shared_.add(a, m.tile, sequence);
      if (m.passed != 0 || (m.sent && m.received)) sequence.open = false;
    }
  }
  // Words of one level are counted, else runs of them.
  static uint64_t level_of(const Walk& w) { return w.dims.size() > 1 ? 1 : 0; }
  static int64_t counted(const Walk& w) {
    return w.dims.size() > 1 ? places(w.dims) / w.dims[0].count : places(w.dims);
  }

  Walk own_box(int r, int c, int q) const {
    return {.start = m_.own(r, c) / 4 + kBlockWords * s_.first + kRowWords * q,
            .dims = fused(without_ones(
                {{1, row_words(q)}, {m_.words(), m_.x.own(c)}, {m_.row(c) / 4, m_.y.own(r)}}, 1))};
  }
  // Where rows of tile row `r` lie among all rows of these columns.
  int64_t in_columns(int r, int c, int q) const {
    return s_.columns / 4 + m_.y.begin(r) * m_.x.own(c) * row_words(q);
  }

  std::vector<Move> down_or_up(int q, int c, bool down) const {
    return moves_to(
        q, down, [&](int r) { return r * kGrid + c; },
        [&](int r) -> std::optional<Walk> {
          if (m_.y.own(r) == 0) return std::nullopt;
          return own_box(r, c, q);
        },
        [&](int r) {
          return Walk{.start = in_columns(r, c, q),
                      .dims = {{1, m_.y.own(r) * m_.x.own(c) * row_words(q)}}};
        });
  }
  void copy_rows(int q, int c) {
    if (m_.y.own(q) == 0) return;
    const Walk from = own_box(q, c, q);
    const int64_t g = row_words(q), columns = m_.x.own(c);
    copy(q * kGrid + c, from.start, in_columns(q, c, q),
         from.dims.size() == 1 ? lines_of_run(places(from.dims))
                               : lines_of_positions(g, m_.words(), columns * m_.y.own(q), 1, 0));
  }
  // Each row of tiles gets all rows of its channels, each tile of it those of its columns.
  void along_columns() {
    const int rows = static_cast<int>(std::min<int64_t>(kGrid, ceil_div(words_, kRowWords)));
    for (int q = 0; q < rows; ++q) {
      for (int c = 0; c < kGrid; ++c) {
        if (has_columns(c)) copy_rows(q, c);
      }
    }
    for (const bool down : {true, false}) {
      std::array<std::array<std::vector<Move>, kGrid>, kGrid + 1> all;
      for (int q = 0; q < rows; ++q) {
        for (int c = 0; c < kGrid; ++c) {
          if (has_columns(c)) all.at(to_size(q)).at(to_size(c)) = down_or_up(q, c, down);
        }
      }
      for (int q = 0; q < rows; ++q) {
        for (int c = 0; c < kGrid; ++c) {
          std::vector<Move>& moves = all.at(to_size(q)).at(to_size(c));
          SharedSequences::Sequence sequence{q};
          sequence.open = !joined_.at(to_size(c));
          joined_.at(to_size(c)) = down && join(moves, all.at(to_size(q) + 1).at(to_size(c)));
          add_moves(moves, down ? kDown : kUp, sequence);
        }
      }
    }
    shared_.end();
  }

  std::vector<Move> right_or_left(int q, int d, bool right) const {
    const int64_t g = block_words(q, d), rows = m_.y.size;
    return moves_to(
        d, right, [&](int c) { return q * kGrid + c; },
        [&](int c) -> std::optional<Walk> {
          if (!has_columns(c)) return std::nullopt;
          return Walk{.start = s_.columns / 4 + kBlockWords * d,
                      .dims = fused(without_ones({{1, g}, {row_words(q), m_.x.own(c) * rows}}, 1))};
        },
        [&](int c) {
          return Walk{
              .start = s_.to / 4 + m_.x.begin(c) * g,
              .dims = fused(without_ones({{1, m_.x.own(c) * g}, {m_.x.size * g, rows}}, 1))};
        });
  }
  // Each tile gets all columns of its block.
  void along_rows() {
    for (const bool right : {true, false}) {
      for (int q = 0; q < kGrid; ++q) {
        std::array<std::vector<Move>, kGrid + 1> all;
        const auto blocks = static_cast<int>(ceil_div(row_words(q), kBlockWords));
        for (int d = 0; d < blocks; ++d) all.at(to_size(d)) = right_or_left(q, d, right);
        SharedSequences::Sequence sequence{0};
        for (int d = 0; d < blocks; ++d) {
          if (right && has_columns(d)) copy_columns(q, d);
          if (right) join(all.at(to_size(d)), all.at(to_size(d) + 1));
          add_moves(all.at(to_size(d)), right ? kRight : kLeft, sequence);
        }
      }
    }
    shared_.end();
  }
  void copy_columns(int q, int d) {
    const int64_t g = block_words(q, d);
    copy(q * kGrid + d, s_.columns / 4 + kBlockWords * d, s_.to / 4 + m_.x.begin(d) * g,
         lines_of_positions(g, row_words(q), m_.x.own(d), m_.y.size, m_.x.size * g));
  }
  static constexpr int kCopies = -1;  // as a target
  static size_t to_size(int k) { return static_cast<size_t>(k); }

  Program& p_;
  const MeshGatherSpec& s_;
  const Map& m_;
  int64_t words_;
  SharedSequences shared_;
  std::array<Counts, kTiles> counts_{};
  std::array<bool, kGrid> joined_{};  // the first of the next moves of a column stands already
  int64_t most_passing_ = 0, most_lines_ = 1;
};

}  // namespace

int64_t mesh_gather_bytes(const Map& m) {
  return 4 * m.y.size * m.x.own(0) * std::min(kRowWords, m.words());
}

void gather_by_mesh(Program& p, const MeshGatherSpec& s) {
  if (!p.after_epoch()) p.epoch();
  Gather(p, s).run();
}

std::optional<int64_t> mesh_gather_lines(const MeshGatherSpec& s) {
  Program p(Style::vendor);
  p.begin();
  Gather gather(p, s);
  if (!gather.without_borders()) return std::nullopt;
  gather.run();
  if (gather.most_passing() > kMostPassing) return std::nullopt;
  const bool known = has_known_forms(p);
  return known ? std::optional(gather.most_lines()) : std::nullopt;
}

}  // namespace edgetwin::edgetpu::compiler
