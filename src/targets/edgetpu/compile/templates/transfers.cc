// Words of narrow memory from tile to tile, by the ring: with wide memory for all of them where
// there is room, so that all tiles fetch and store at the same time; else line by line.
#include <algorithm>
#include <iterator>

#include "targets/edgetpu/compile/templates/exchange.h"

namespace edgetwin::edgetpu::compiler {
namespace {

int64_t lines_of(const Transfer& t) { return ceil_div(places(t.from.dims), kLineWords); }

size_t first_of(uint32_t tiles) {
  size_t tile = 0;
  while ((tiles >> tile & 1U) == 0) ++tile;
  return tile;
}

// Public programs that keep lines have one, two or four levels of words.
Walk declared(const Walk& walk) {
  Walk w = walk;
  w.levels.reset();
  if (w.dims.size() == 3) w.dims.push_back({w.dims[2].stride * w.dims[2].count, 1});
  return w;
}

// The first instruction of all tiles, then the second ones, ...; tiles share those that are equal.
template <typename List, typename Make>
void in_order(Program& p, const std::array<List, kTiles>& lists, const Make& make) {
  size_t most = 0;
  for (const List& l : lists) most = std::max(most, l.size());
  for (size_t k = 0; k < most; ++k) {
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      const List& l = lists.at(static_cast<size_t>(r * kGrid + c));
      if (k >= l.size()) return std::nullopt;
      return make(l[k]);
    });
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

// Each tile sends to its first neighbour, then each to its second one, ...: what a tile receives is
// in the order of turns. What stays in its tile does not go over the ring.
Exchange::Exchange(const std::vector<Transfer>& all, bool shared) {
  std::array<std::vector<Group>, kTiles> sent;
  std::array<std::vector<const Transfer*>, kTiles> own;
  for (const Transfer& t : all) {
    const auto source = static_cast<size_t>(t.source);
    if (t.destination == 1U << t.source) {
      own.at(source).push_back(&t);
      continue;
    }
    auto& groups = sent.at(source);
    const auto same = [&](const Group& g) { return shared || g.destination == t.destination; };
    auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) group = groups.insert(groups.end(), Group{});
    group->destination |= t.destination;
    group->transfers.push_back(&t);
  }
  std::array<int64_t, kTiles> out{};
  bool more = true;
  for (size_t turn = 0; more; ++turn) {
    more = false;
    for (size_t source = 0; source < kTiles; ++source) {
      if (turn >= sent.at(source).size()) continue;
      more = true;
      send_group(source, sent.at(source)[turn], out.at(source));
    }
  }
  out_ = std::ranges::max(out);
  for (size_t tile = 0; tile < kTiles; ++tile) {
    int64_t in = received_.at(tile), fetched = out.at(tile);
    for (const Transfer* t : own.at(tile)) {
      fetched_.at(tile).push_back({t, in, lines_of(*t), true});
      stored_.at(tile).push_back({t, in, lines_of(*t), true, fetched});
      in += lines_of(*t), fetched += lines_of(*t);
    }
    in_ = std::max(in_, in);
  }
}

void Exchange::send_group(size_t source, const Group& group, int64_t& out) {
  Send send{static_cast<int>(source), group.destination, out, 0};
  for (const Transfer* t : group.transfers) {
    const int64_t lines = lines_of(*t);
    fetched_.at(source).push_back({t, out, lines, false});
    for (size_t k = 0; k < kTiles; ++k) {
      if ((group.destination >> k & 1U) == 0) continue;
      int64_t& received = received_.at(k);
      if ((t->destination >> k & 1U) != 0) {
        stored_.at(k).push_back({t, received, lines, false, received});
      }
      received += lines;
    }
    out += lines, send.lines += lines;
  }
  sends_.push_back(send);
}

// Tiles that get as many lines share an instruction: each takes what is sent to it.
void Exchange::receive(Program& p, int64_t in) const {
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    const int64_t lines = received_.at(static_cast<size_t>(r * kGrid + c));
    if (lines == 0) return std::nullopt;
    Assembly a(Opcode::ring_receive);
    put(a, kSideA, {.start = in, .dims = {{1, lines}}});
    return a.set("counts.ring_read", 1);
  });
}

void Exchange::bring(Program& p, int64_t out, int64_t in) const {
  in_order(p, fetched_, [&](const Fetched& f) {
    Assembly a(Opcode::narrow_to_wide);
    const Walk from = declared(f.transfer->from);
    put(a, kSideA, from);
    put(a, kSideB, {.start = (f.own ? in : out) + f.line, .dims = {{1, f.lines}}});
    return a.set("counts.narrow_to_wide", 1).set("flush_level", from.dims.size());
  });
  receive(p, in);
  for (const Send& s : sends_) {
    Assembly a = p.engine(Opcode::ring_send, 1U << s.source);
    put(a, kSideA, {.start = out + s.line, .dims = {{1, s.lines}}});
    a.set("counts.ring_producer", 1).set("counts.ring_producer.level", 1);
    a.set("destination", s.destination);
    put_waits(
        a,
        {{TileCounter::ring_producer_a, 1, p.ring.a}, {TileCounter::narrow_to_wide, 0, s.line + 1}},
        true);
    p.add(a);
    ++p.ring.a;
  }
}

void Exchange::store(Program& p, int64_t in, bool at_once, size_t part) const {
  std::array<std::vector<Stored>, kTiles> stored;
  for (size_t k = 0; k < kTiles; ++k) {
    std::ranges::copy_if(stored_.at(k), std::back_inserter(stored.at(k)),
                         [&](const Stored& s) { return s.transfer->part == part; });
  }
  in_order(p, stored, [&](const Stored& s) {
    Assembly a(Opcode::wide_to_narrow);
    put(a, kSideA, {.start = in + s.line, .dims = {{1, s.lines}}});
    put(a, kSideB, declared(s.transfer->to));
    a.set("counts.wide_to_narrow", 1).set("flush_level", 1);
    const TileCounter counter = s.own ? TileCounter::narrow_to_wide : TileCounter::ring_read_a;
    if (at_once) put_waits(a, {{counter, 0, s.before + 1}}, true);
    return a;
  });
}

namespace {

// What a tile sends goes to all that want some of it, where wide memory has room for that.
std::optional<Exchange> kept(const Program& p, const std::vector<Transfer>& all) {
  for (const bool shared : {true, false}) {
    Exchange e(all, shared);
    if (!p.vendor() && p.room() + e.lines_out() + e.lines_in() <= kRoomEnd) return e;
  }
  return std::nullopt;
}

}  // namespace

bool all_kept(const Program& p, const std::vector<Transfer>& all) {
  return kept(p, all).has_value();
}

void transfers(Program& p, const std::vector<Transfer>& all, bool whole_lines) {
  const auto e = kept(p, all);
  if (!e) {
    by_turns(p, all, whole_lines);
    return;
  }
  e->bring(p, p.room(), p.room() + e->lines_out());
  e->store(p, p.room() + e->lines_out(), true);
}

}  // namespace edgetwin::edgetpu::compiler
