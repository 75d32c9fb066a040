// Words of narrow memory from tile to tile, by the ring: with wide memory for all of them where
// there is room, so that all tiles fetch and store at the same time; else line by line.
#include <algorithm>

#include "targets/edgetpu/compile/templates/parts.h"

namespace edgetwin::edgetpu::compiler {
namespace {

int64_t lines_of(const Transfer& t) { return ceil_div(places(t.from.dims), kLineWords); }

size_t first_of(uint32_t tiles) {
  size_t tile = 0;
  while ((tiles >> tile & 1U) == 0) ++tile;
  return tile;
}

using Lines = std::array<int64_t, kTiles>;

// Lines that each tile sends and receives. None: tiles of one transfer have received differently.
struct Amounts {
  Lines sent{}, received{};
  static std::optional<Amounts> of(const std::vector<Transfer>& all) {
    Amounts n;
    for (const Transfer& t : all) {
      const int64_t lines = lines_of(t), before = n.received.at(first_of(t.destination));
      n.sent.at(static_cast<size_t>(t.source)) += lines;
      for (size_t k = 0; k < n.received.size(); ++k) {
        if ((t.destination >> k & 1U) == 0) continue;
        if (n.received.at(k) != before) return std::nullopt;
        n.received.at(k) += lines;
      }
    }
    return n;
  }
};

// Public programs that keep lines have one, two or four levels of words.
Walk declared(const Walk& walk) {
  Walk w = walk;
  w.levels.reset();
  if (w.dims.size() == 3) w.dims.push_back({w.dims[2].stride * w.dims[2].count, 1});
  return w;
}

// Lines are kept one after the other: `out` of those that are sent, `in` of those that come. In the
// order in which they are done, since nothing takes turns.
void kept_transfer(Program& p, const Transfer& t, int64_t out, int64_t in, Amounts& done) {
  const int64_t lines = lines_of(t);
  const auto source = static_cast<size_t>(t.source);
  int64_t& sent = done.sent.at(source);
  const int64_t received = done.received.at(first_of(t.destination));
  const Walk from = declared(t.from);
  Assembly n2w = p.engine(Opcode::narrow_to_wide, 1U << source);
  put(n2w, kSideA, from);
  put(n2w, kSideB, {.start = out + sent, .dims = {{1, lines}}});
  n2w.set("counts.narrow_to_wide", 1).set("flush_level", from.dims.size());
  p.add(n2w);
  Assembly receive = p.engine(Opcode::ring_receive, t.destination);
  put(receive, kSideA, {.start = in + received, .dims = {{1, lines}}});
  p.add(receive.set("counts.ring_read", 1));
  Assembly send = p.engine(Opcode::ring_send, 1U << source);
  put(send, kSideA, {.start = out + sent, .dims = {{1, lines}}});
  send.set("counts.ring_producer", 1).set("counts.ring_producer.level", 1);
  send.set("destination", t.destination);
  put_waits(
      send,
      {{TileCounter::ring_producer_a, 1, p.ring.a}, {TileCounter::narrow_to_wide, 0, sent + 1}},
      true);
  p.add(send);
  Assembly w2n = p.engine(Opcode::wide_to_narrow, t.destination);
  put(w2n, kSideA, {.start = in + received, .dims = {{1, lines}}});
  put(w2n, kSideB, declared(t.to));
  w2n.set("counts.wide_to_narrow", 1).set("flush_level", 1);
  put_waits(w2n, {{TileCounter::ring_read_a, 0, received + 1}}, true);
  p.add(w2n);
  ++p.ring.a;
  sent += lines;
  for (size_t k = 0; k < done.received.size(); ++k) {
    if ((t.destination >> k & 1U) != 0) done.received.at(k) += lines;
  }
}

void by_turns(Program& p, const std::vector<Transfer>& all, bool whole_lines) {
  std::array<TransferCounts, kTiles> counts{};
  std::array<int64_t, kTiles> sent{};
  for (const Transfer& t : all) {
    TransferCounts& n = counts.at(first_of(t.destination));
    n.whole_lines = whole_lines;
    n.sent = sent;
    transfer(p, t.source, t.destination, t.from, t.to, n);
    sent = n.sent;
  }
}

}  // namespace

namespace {

// The first of the lines that come; none: lines take turns.
std::optional<int64_t> first_received(const Program& p, const std::vector<Transfer>& all) {
  const auto n = Amounts::of(all);
  if (p.vendor() || !n) return std::nullopt;
  const int64_t in = p.room() + std::ranges::max(n->sent);
  if (in + std::ranges::max(n->received) > kRoomEnd) return std::nullopt;
  return in;
}

}  // namespace

bool all_kept(const Program& p, const std::vector<Transfer>& all) {
  return first_received(p, all).has_value();
}

void transfers(Program& p, const std::vector<Transfer>& all, bool whole_lines) {
  const auto in = first_received(p, all);
  if (!in) {
    by_turns(p, all, whole_lines);
    return;
  }
  Amounts done;
  for (const Transfer& t : all) kept_transfer(p, t, p.room(), *in, done);
}

}  // namespace edgetwin::edgetpu::compiler
