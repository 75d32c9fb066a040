// What goes from tile to tile, and numbers of channels from parameters.
#include <algorithm>

#include "targets/edgetpu/compile/layout/ways.h"
#include "targets/edgetpu/compile/softmax/steps.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// All that transfers use; the tensor engine and what reads narrow memory go on.
constexpr uint32_t kTransfersIdle = 0x3C6;
constexpr uint32_t kMeshIdle = 0x3C0, kMeshCounters = 0x7F8;
constexpr int64_t kPassingBy = 4;  // words between two that pass

Walk words_at(int64_t byte, int64_t words) {
  Walk w{.start = byte / 4, .dims = {{1, words}}};
  if (words == 1) w.levels = 0;
  return w;
}

Walk passing_word(int64_t byte) {
  return Walk{.start = byte / 4, .dims = {{1, 1}}, .levels = 1}.switched(1, kPassingBy);
}

// The tiles on the way, and how each is reached from the one before.
struct Hop {
  int tile = 0;
  Way by;
};
std::vector<Hop> way_of(int from, int to) {
  std::vector<Hop> hops;
  int at = from;
  const auto go = [&](int by, const Way& way) {
    at += by;
    hops.push_back({at, way});
  };
  while (at / kGrid > to / kGrid) go(-kGrid, kUp);
  while (at / kGrid < to / kGrid) go(kGrid, kDown);
  while (at % kGrid > to % kGrid) go(-1, kLeft);
  while (at % kGrid < to % kGrid) go(1, kRight);
  return hops;
}

// Takes the word of one hop and sends it on by the next one, in one instruction where both go the
// same way.
void pass_on(Program& p, const Hop& hop, const Way& next, int64_t passing) {
  const uint32_t tile = 1U << hop.tile;
  const Walk word = passing_word(passing);
  const bool turns = next.opcode != hop.by.opcode;
  const Wait came{hop.by.in, 1, 1}, left{next.out, 1, -1, 1, 1};
  Assembly a = p.engine(hop.by.opcode, tile);
  put(a, kSideB, word);
  a.set("counts.in", 1).set("counts.in.level", 1);
  if (turns) {
    put_waits(a, {left}, true);
    p.add(a);
    a = p.engine(next.opcode, tile);
  }
  put(a, kSideA, word);
  a.set("counts.out", 1).set("counts.out.level", 1);
  put_waits(a, turns ? std::vector{came} : std::vector{came, left}, true);
  p.add(a);
}

}  // namespace

void move_in_turns(Program& p, const std::vector<Transfer>& all, int64_t lowered) {
  p.settle();
  p.set_lowered(lowered);
  transfers(p, all, true);
  p.set_lowered(0);
  p.tile_sync(0, kTransfersIdle, true);
  p.sync(0, 0, true, 0);
  p.epoch();
}

void to_other_tiles(Program& p, const TileSoftmaxShape& shape, int64_t byte, int64_t words,
                    int64_t lowered) {
  std::vector<Transfer> all;
  for (int t = 1; t < shape.tiles(); ++t) {
    all.push_back({0, 1U << t, words_at(byte, words), words_at(byte, words)});
  }
  move_in_turns(p, all, lowered);
}

void fill_list(Program& p, const TileSoftmaxShape& shape, int64_t ones, int64_t from, int64_t bytes,
               int64_t to, int64_t words) {
  Assembly a = p.engine(Opcode::narrow_to_wide, kAllTiles);
  put(a, kSideA, {.start = ones, .dims = {{1, 4}}});
  put(a, kSideB, {.start = kSoftmaxSpread, .dims = {{1, 1}}, .levels = 0});
  a.set("flush_level", 1);
  put_waits(a, {{TileCounter::s_in, 1, 1, 0}}, true);
  p.add(a);
  p.settle();
  TensorSpec spread;
  spread.loop = {1, words};
  spread.in = {
      .start = from,
      .dims = {{4, 1}, {0, words}, {bytes, 1}, {0, 1}, {bytes, 1}, {0, 1}, {bytes, 1}, {0, 1}}};
  spread.out = from_here(to, {4, words}, 4 * words, 4);
  spread.weight = {.start = 4 * kSoftmaxSpread, .dims = {{4, 1}, {0, words}}};
  spread.acc = Walk{.dims = {{0, words}}}.switched(0, 256);
  spread.kind = 0x30;
  p.add(without_count(tensor(spread, copy_numbers())), shape.mask());
  p.epoch();
}

void word_by_mesh(Program& p, int from, int to, int64_t at, int64_t passing, int64_t arrives) {
  p.settle();
  const std::vector<Hop> hops = way_of(from, to);
  Assembly a = p.engine(hops.front().by.opcode, 1U << from);
  put(a, kSideA, words_at(at, 1));
  p.add(a);
  for (size_t k = 0; k + 1 < hops.size(); ++k) pass_on(p, hops[k], hops[k + 1].by, passing);
  a = p.engine(hops.back().by.opcode, 1U << to);
  put(a, kSideB, words_at(arrives, 1));
  p.add(a);
  p.tile_sync(kMeshCounters, kMeshIdle, false);
  p.settle();
  p.epoch();
}

void by_words(Program& p, const TileSoftmaxShape& shape,
              const std::function<Assembly(int64_t words)>& make) {
  for (int t = 0; t < shape.tiles(); ++t) {
    uint32_t tiles = 0;
    for (int k = 0; k < shape.tiles(); ++k) {
      if (shape.own(k) == shape.own(t)) tiles |= 1U << k;
    }
    const bool first = (tiles & ((1U << t) - 1U)) == 0;
    if (first) p.add(make(shape.own(t)), tiles);
  }
}

namespace {

// Lines that rest elsewhere, to each tile those that it takes.
void send_table(Program& p, const TileSoftmaxSpec& s, const TableLines& table) {
  size_t piece = 0;
  int64_t taken = 0;  // of the piece
  for (int t = 0; t < s.shape.tiles(); ++t) {
    for (int64_t left = s.shape.own(t); left > 0;) {
      const Piece& from = table.pieces.at(piece);
      const int64_t n = std::min(left, from.lines - taken);
      Assembly send = p.engine(Opcode::ring_send, 1U << from.tile);
      put(send, kSideA, {.start = from.line + taken, .dims = {{1, n}}});
      send.set("counts.ring_producer", 1).set("second", 1).set("destination", 1U << t);
      put_waits(send, {{TileCounter::ring_producer_b, 1, p.ring.b}}, true);
      p.add(send);
      p.ring.b += n;
      left -= n, taken += n;
      if (taken == from.lines) ++piece, taken = 0;
    }
  }
}

}  // namespace

void take_table(Program& p, const TileSoftmaxSpec& s, SoftmaxTable which,
                const std::function<void()>& after) {
  const TableLines& table = s.tables.at(static_cast<size_t>(which));
  const bool scales = which == SoftmaxTable::scale;
  for (int t = 0; t < s.shape.tiles() && !table.there; ++t) {
    Assembly receive = p.engine(Opcode::ring_receive1, 1U << t);
    put(receive, kSideA,
        Walk{.start = kSoftmaxTableRing, .dims = {{0, s.shape.own(t)}}}.switched(0, 1));
    receive.set("counts.ring_read", 1);
    put_waits(receive, {{TileCounter::wide_to_scaling, 0, -1, 1, 1}}, true);
    p.add(receive);
  }
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    const int t = r * kGrid + c;
    if (t >= s.shape.tiles()) return std::nullopt;
    const int64_t n = s.shape.own(t);
    Assembly a(Opcode::wide_to_narrow);
    const int64_t line = table.there ? table.pieces.at(static_cast<size_t>(t)).line : 0;
    const Walk here{.start = line, .dims = {{1, 1}, {1, n}}};
    const Walk ring{.start = kSoftmaxTableRing, .dims = {{1, 1}, {0, n}}};
    put(a, kSideA, table.there ? here : ring.switched(1, 1));
    const int64_t start = scales ? 0 : 64;
    put(a, kSideB, Walk{.start = start, .dims = {{1, 2}, {64, 1}, {0, n}}}.switched(2, 32));
    a.set("counts.wide_to_narrow", 1).set("counts.wide_to_narrow.level", 2);
    a.set("numbers", 1).set("flush_level", 1);
    std::vector<Wait> waits{{TileCounter::avdata, 2, -1, 1, 1}};
    if (!table.there) waits.insert(waits.begin(), {TileCounter::ring_read_b, 1, 1});
    put_waits(a, waits, true);
    return a;
  });
  after();
  if (!table.there) send_table(p, s, table);
}

TensorSpec by_table(int64_t words, int64_t in, const Walk& out, int64_t matrix) {
  TensorSpec spec;
  spec.loop = {1, 2, words};
  spec.in = {.start = in, .dims = {{4, 1}, {0, 2}, {4 * words, 1}, {4, words}}};
  spec.out = out;
  spec.avdata_level = 3;
  spec.counts_parameters = true;
  spec.parameters_level = 1;
  spec.weight = Walk{.start = 4 * matrix, .dims = {{0, 2}, {0, words}}}.switched(1, 0);
  spec.acc = Walk{.dims = {{0, 2}, {0, words}}}.switched(0, 4);
  spec.waits = {{TileCounter::wide_to_scaling, 2, 1}, {TileCounter::narrow_to_wide, 3, 0}};
  spec.kind = 0x30;
  spec.role = Role::selection;
  return spec;
}

}  // namespace edgetwin::edgetpu::compiler
