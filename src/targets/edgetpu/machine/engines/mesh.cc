// The mesh: what tiles send to their neighbours, word by word through a queue.
#include <cstring>
#include <map>

#include "targets/edgetpu/machine/engines/core.h"

namespace edgetwin::edgetpu::machine {
namespace {

std::vector<int32_t> words_of(const Generator& g) {
  std::vector<int32_t> all;
  unroll(g, [&](int64_t word, uint32_t /*pass*/) { all.push_back(static_cast<int32_t>(word)); });
  return all;
}

struct Move {
  Step* step = nullptr;
  std::vector<int32_t> sent, received;
  std::map<int32_t, std::vector<size_t>> arrivals;  // place to the numbers of its words
  bool passes = false;                              // what comes goes on, through few places
  // The same by two instructions, where it goes on in another direction: the one that receives
  // keeps the words, the other one takes them.
  bool keeps = false, takes = false;
};

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

  // What is passed on must have come, or been filled: the word of the same number where a place
  // gets several.
  bool may_send(size_t tile, const Move& m, size_t n) const {
    const auto found = m.arrivals.find(m.sent[n]);
    if (found == m.arrivals.end()) return true;
    const size_t needed = found->second.size() == 1 ? found->second[0] : n;
    const size_t index = static_cast<size_t>(&m - moves.data());
    return got[tile][index] > needed;
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
  void keep(size_t tile, const Move& m, uint32_t word) {
    kept[tile].push_back(word);
    if (kept[tile].size() < m.received.size()) return;
    core.tiles[tile].relayed[m.step->b.path.start].push_back(std::move(kept[tile]));
    kept[tile].clear();
  }

  bool send(size_t tile, bool force) {
    bool moved = false;
    Cursor& c = sender[tile];
    for (; c.move < moves.size(); ++c.move, c.word = 0) {
      const Move& m = moves[c.move];
      if (!has_tile(m.step->tiles, tile) || !m.step->sends) continue;
      const auto to = mesh_receiver(*m.step->copy, static_cast<int>(tile));
      for (; c.word < m.sent.size(); ++c.word) {
        if ((!force || m.passes) && m.step->receives && !may_send(tile, m, c.word)) {
          return moved;
        }
        moved = true;
        if (!to) continue;
        ++waiting[static_cast<size_t>(*to)];
        if (counting) continue;
        uint32_t word = 0;
        if (c.word == 0) taken[tile] = take(tile, m);
        if (m.passes) {
          word = passed[tile][passed_before(tile, c.move) + c.word];
        } else if (!taken[tile].empty()) {
          word = taken[tile][c.word];
        } else {
          std::memcpy(&word, core.tiles[tile].narrow.data() + ptrdiff_t{m.sent[c.word]} * 4, 4);
        }
        queue[static_cast<size_t>(*to)].push_back(word);
      }
    }
    return moved;
  }

  bool receive(size_t tile) {
    bool moved = false;
    Cursor& c = receiver[tile];
    for (; c.move < moves.size(); ++c.move, c.word = 0) {
      const Move& m = moves[c.move];
      if (!has_tile(m.step->tiles, tile) || !m.step->receives) continue;
      for (; c.word < m.received.size(); ++c.word) {
        uint32_t word = m.step->copy->pattern;
        if (!m.step->copy->fill) {
          if (waiting[tile] == 0) return moved;
          --waiting[tile];
          if (!counting) {
            word = queue[tile].front();
            queue[tile].pop_front();
          }
        }
        if (!counting)
          std::memcpy(core.tiles[tile].narrow.data() + ptrdiff_t{m.received[c.word]} * 4, &word, 4);
        if (m.passes && !counting) passed[tile].push_back(word);
        if (m.keeps && !counting) keep(tile, m, word);
        ++got[tile][c.move];
        moved = true;
      }
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
        for (size_t n = 0; n < m.received.size(); ++n) m.arrivals[m.received[n]].push_back(n);
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
