// The mesh: what tiles send to their neighbours, word by word through a queue.
#include <algorithm>
#include <cstring>

#include "targets/edgetpu/machine/engines/core.h"

namespace edgetwin::edgetpu::machine {
namespace {

std::vector<int32_t> words_of(const Generator& g) {
  constexpr uint64_t kMostReserved = 1U << 20U;
  std::vector<int32_t> all;
  all.reserve(g.count(kMostReserved));
  unroll_rows(g, [&](const PlaceRow& row) {
    const size_t end = all.size();
    all.resize(end + static_cast<size_t>(row.count));
    int64_t at = row.first;
    for (size_t n = end; n < all.size(); ++n, at += row.step) all[n] = static_cast<int32_t>(at);
  });
  return all;
}

struct Move {
  Step* step = nullptr;
  std::vector<int32_t> sent, received;
  std::vector<size_t> needed;  // by word that is sent: how many must have been received
  bool passes = false;         // what comes goes on, through few places
  // The same by two instructions, where it goes on in another direction: the one that receives
  // keeps the words, the other one takes them.
  bool keeps = false, takes = false;
};

// By place of narrow memory the number of the first word that is received there.
class Arrivals {
 public:
  explicit Arrivals(const std::vector<int32_t>& received) {
    const auto [low, high] = std::ranges::minmax(received);
    low_ = low;
    places_.resize(static_cast<size_t>(high - low) + 1);
    for (size_t n = received.size(); n-- > 0;) {
      uint32_t& place = places_[static_cast<size_t>(received[n] - low)];
      place = static_cast<uint32_t>(n + 1) | (place != 0 ? kSeveral : 0);
    }
  }
  // Words that must have come before the word `n` may go that stands at a place.
  size_t needed(int32_t place, size_t n) const {
    const auto at = static_cast<size_t>(int64_t{place} - low_);
    if (place < low_ || at >= places_.size() || places_[at] == 0) return 0;
    return (places_[at] & kSeveral) != 0 ? n + 1 : places_[at];
  }

 private:
  static constexpr uint32_t kSeveral = uint32_t{1} << 31U;
  int32_t low_ = 0;
  std::vector<uint32_t> places_;  // the first's number and one more; 0: none
};

// What is passed on must have come, or been filled: the word of the same number where a place gets
// several.
std::vector<size_t> needed_for(const Move& m) {
  std::vector<size_t> needed(m.sent.size());
  if (m.sent == m.received) {
    for (size_t n = 0; n < needed.size(); ++n) needed[n] = n + 1;
    return needed;
  }
  const Arrivals arrivals(m.received);
  for (size_t n = 0; n < needed.size(); ++n) needed[n] = arrivals.needed(m.sent[n], n);
  return needed;
}

// How far a tile is in the list of moves.
struct Cursor {
  size_t move = 0, word = 0;
};

// First only counted, to see whether all that is received is sent; then done.
struct Group {
  Core& core;
  const std::vector<Move>& moves;
  std::array<MeshQueue, kTiles>& queue;
  bool counting;
  std::array<size_t, kTiles> waiting{};  // words in the queues, while counting
  std::array<Cursor, kTiles> sender, receiver;
  std::array<std::vector<size_t>, kTiles> got;            // words received, by move
  std::array<std::vector<uint32_t>, kTiles> passed;       // of the move that the receiver is at
  std::array<std::vector<uint32_t>, kTiles> kept, taken;  // of the moves that both are at

  // The end of the words from `word` on that may go now.
  size_t end_of_sent(size_t tile, size_t move, size_t word) const {
    const Move& m = moves[move];
    while (word < m.sent.size() && got[tile][move] >= m.needed[word]) ++word;
    return word;
  }

  // Words passed on by the moves before one of them.
  size_t passed_before(size_t tile, size_t move) const {
    size_t n = 0;
    for (size_t k = 0; k < move; ++k) {
      if (moves[k].passes && has_tile(moves[k].step->tiles, tile)) n += moves[k].received.size();
    }
    return n;
  }

  // The words that a move of another direction kept for this one; empty: it reads memory.
  std::vector<uint32_t> take(size_t tile, const Move& m) const {
    if (!m.takes) return {};
    auto& relayed = core.tiles[tile].relayed;
    const auto found = relayed.find(m.step->a.path.start);
    if (found == relayed.end() || found->second.front().size() != m.sent.size()) return {};
    std::vector<uint32_t> words = std::move(found->second.front());
    found->second.pop_front();
    if (found->second.empty()) relayed.erase(found);
    return words;
  }
  void keep(size_t tile, const Move& m, const uint32_t* words, size_t count) {
    kept[tile].insert(kept[tile].end(), words, words + count);
    if (kept[tile].size() < m.received.size()) return;
    core.tiles[tile].relayed[m.step->b.path.start].push_back(std::move(kept[tile]));
    kept[tile].clear();
  }

  // Words [begin, end) of a move.
  void put(size_t tile, size_t move, size_t begin, size_t end, uint32_t* words) {
    const Move& m = moves[move];
    if (begin == 0) taken[tile] = take(tile, m);
    const uint32_t* there = nullptr;
    if (m.passes) {
      there = passed[tile].data() + passed_before(tile, move);
    } else if (!taken[tile].empty()) {
      there = taken[tile].data();
    }
    if (there != nullptr) {
      std::copy(there + begin, there + end, words);
      return;
    }
    const std::byte* narrow = core.tiles[tile].narrow.data();
    for (size_t n = begin; n < end; ++n) {
      std::memcpy(words++, narrow + ptrdiff_t{m.sent[n]} * 4, 4);
    }
  }

  bool send(size_t tile, bool force) {
    bool moved = false;
    Cursor& c = sender[tile];
    for (; c.move < moves.size(); ++c.move, c.word = 0) {
      const Move& m = moves[c.move];
      if (!has_tile(m.step->tiles, tile) || !m.step->sends) continue;
      const bool waits = (!force || m.passes) && m.step->receives;
      const size_t end = waits ? end_of_sent(tile, c.move, c.word) : m.sent.size();
      if (end > c.word) {
        moved = true;
        if (const auto to = mesh_receiver(*m.step->copy, static_cast<int>(tile))) {
          const size_t count = end - c.word;
          waiting[static_cast<size_t>(*to)] += count;
          if (!counting)
            put(tile, c.move, c.word, end, queue[static_cast<size_t>(*to)].push(count));
        }
        c.word = end;
      }
      if (c.word < m.sent.size()) return moved;
    }
    return moved;
  }

  // `count` words of a move from a tile's place on: from the queue, or the same one.
  void accept(size_t tile, const Cursor& c, size_t count) {
    const Move& m = moves[c.move];
    const bool fill = m.step->copy->fill;
    const std::vector<uint32_t> pattern(fill ? count : 0, m.step->copy->pattern);
    const uint32_t* words = fill ? pattern.data() : queue[tile].take(count);
    std::byte* narrow = core.tiles[tile].narrow.data();
    for (size_t n = 0; n < count; ++n) {
      std::memcpy(narrow + ptrdiff_t{m.received[c.word + n]} * 4, words + n, 4);
    }
    if (m.passes) passed[tile].insert(passed[tile].end(), words, words + count);
    if (m.keeps) keep(tile, m, words, count);
  }

  bool receive(size_t tile) {
    bool moved = false;
    Cursor& c = receiver[tile];
    for (; c.move < moves.size(); ++c.move, c.word = 0) {
      const Move& m = moves[c.move];
      if (!has_tile(m.step->tiles, tile) || !m.step->receives) continue;
      size_t count = m.received.size() - c.word;
      if (!m.step->copy->fill) {
        count = std::min(count, waiting[tile]);
        waiting[tile] -= count;
      }
      if (count != 0) {
        if (!counting) accept(tile, c, count);
        got[tile][c.move] += count;
        c.word += count;
        moved = true;
      }
      if (c.word < m.received.size()) return moved;
    }
    return moved;
  }

  bool round(bool force) {
    bool moved = false;
    for (size_t t = 0; t < kTiles; ++t) moved = send(t, force) || moved;
    for (size_t t = 0; t < kTiles; ++t) moved = receive(t) || moved;
    return moved;
  }

  bool complete() const {
    for (size_t t = 0; t < kTiles; ++t) {
      if (sender[t].move != moves.size() || receiver[t].move != moves.size()) return false;
    }
    return true;
  }
};

bool run(Core& core, const std::vector<Move>& moves, std::array<MeshQueue, kTiles>& queue,
         bool counting) {
  Group group{core, moves, queue, counting, {}, {}, {}, {}, {}, {}, {}};
  for (size_t t = 0; t < kTiles; ++t) group.waiting[t] = queue[t].size();
  for (auto& g : group.got) g.assign(moves.size(), 0);
  while (group.round(false)) {
  }
  // Places that are read before they are overwritten.
  while (!group.complete() && group.round(true)) {
  }
  return group.complete();
}

}  // namespace

Result<bool> run_moves(Core& core, const std::vector<Step*>& steps) {
  std::vector<Move> moves;
  for (Step* s : steps) {
    Move m;
    m.step = s;
    if (s->sends) {
      EDGETWIN_TRY(core.check(s->a, 1, kNarrowWords, *s));
      EDGETWIN_TRY(core.charge_places(s->a.count(core.limits.one) * kTiles, *s));
      m.sent = words_of(s->a);
      m.takes = !s->receives && s->a.streamed();
    }
    if (s->receives) {
      EDGETWIN_TRY(core.check(s->b, 1, kNarrowWords, *s));
      EDGETWIN_TRY(core.charge_places(s->b.count(core.limits.one) * kTiles, *s));
      m.received = words_of(s->b);
      if (s->sends) {
        m.needed = needed_for(m);
        m.passes = !s->copy->fill && m.sent == m.received;
      }
      // More passes than the two buffers of a stream: the first would be overwritten here before
      // the next instruction sends them on; on the chip the two take turns.
      m.keeps = !s->sends && !s->copy->fill && s->b.streamed() &&
                m.received.size() > 2 * s->b.pass_places();
    }
    moves.push_back(std::move(m));
  }
  auto& queue = core.mesh[static_cast<size_t>(steps.front()->opcode) -
                          static_cast<size_t>(Opcode::move_down)];
  return run(core, moves, queue, true) && run(core, moves, queue, false);
}

}  // namespace edgetwin::edgetpu::machine
