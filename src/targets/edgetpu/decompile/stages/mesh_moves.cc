#include "targets/edgetpu/decompile/stages/mesh_moves.h"

#include <deque>
#include <unordered_map>

namespace edgetwin::edgetpu {
namespace {

std::vector<int32_t> words_of(const Traversal& t) {
  std::vector<int32_t> all;
  all.reserve(t.count());
  walk(t, t.count(), [&](int64_t word) { all.push_back(static_cast<int32_t>(word)); });
  return all;
}

struct Move {
  const CopyPattern* pattern = nullptr;
  std::vector<int32_t> sent, received;
  // Of a move that sends and receives or fills: which words end up at a place, ascending.
  std::unordered_map<int32_t, std::vector<size_t>> arrivals;
  bool passes = false;  // what comes goes on, through few places
  bool receives() const { return !received.empty(); }
};

Move make_move(const CopyPattern& c) {
  Move m;
  m.pattern = &c;
  if (c.uses_a()) m.sent = words_of(c.a);
  if (c.fill || c.uses_b()) m.received = words_of(c.b);
  if (m.sent.empty() || m.received.empty()) return m;
  m.passes = !c.fill && m.sent == m.received;
  for (size_t n = 0; !m.passes && n < m.received.size(); ++n) {
    m.arrivals[m.received[n]].push_back(n);
  }
  return m;
}

// How far a tile is in the list of moves.
struct Cursor {
  size_t move = 0, word = 0;
};

class Mesh {
 public:
  Mesh(Narrow& narrow, const std::vector<const CopyPattern*>& patterns) : narrow_(narrow) {
    moves_.reserve(patterns.size());
    for (const CopyPattern* c : patterns) moves_.push_back(make_move(*c));
    for (auto& g : got_) g.assign(moves_.size(), 0);
  }

  void run() {
    while (round(false)) {
    }
    // Places that are read before they are overwritten, and words that were sent before.
    while (round(true)) {
    }
    for (size_t t = 0; t < kTiles; ++t) finish(t);
  }

 private:
  static OwnedWord filled(const Move& m) { return {kConstant, m.pattern->pattern}; }
  static bool has(const Move& m, size_t tile) { return (m.pattern->tiles >> tile & 1U) != 0; }

  // What is sent on must have come: where a place gets several words, the one of the same number.
  bool may_send(size_t tile, const Move& m, size_t n) const {
    const size_t have = got_[tile][static_cast<size_t>(&m - moves_.data())];
    if (m.passes) return have > n;
    const auto found = m.arrivals.find(m.sent[n]);
    if (found == m.arrivals.end()) return true;
    return have > (found->second.size() == 1 ? found->second.front() : n);
  }

  bool send(size_t tile, bool force) {
    bool moved = false;
    Cursor& c = sender_[tile];
    for (; c.move < moves_.size(); ++c.move, c.word = 0) {
      const Move& m = moves_[c.move];
      if (!has(m, tile)) continue;
      const auto to = mesh_receiver(*m.pattern, static_cast<int>(tile));
      for (; c.word < m.sent.size(); ++c.word) {
        if (m.receives() && (!force || m.passes) && !may_send(tile, m, c.word)) {
          return moved;
        }
        moved = true;
        if (!to) continue;
        queue_[static_cast<size_t>(*to)].push_back(
            m.passes ? passed_[tile][passed_before(tile, c.move) + c.word]
                     : narrow_.at(tile, m.sent[c.word]));
      }
    }
    return moved;
  }

  // Words passed on by the moves before one of them.
  size_t passed_before(size_t tile, size_t move) const {
    size_t n = 0;
    for (size_t k = 0; k < move; ++k) {
      if (moves_[k].passes && has(moves_[k], tile)) n += moves_[k].received.size();
    }
    return n;
  }

  bool receive(size_t tile) {
    bool moved = false;
    Cursor& c = receiver_[tile];
    for (; c.move < moves_.size(); ++c.move, c.word = 0) {
      const Move& m = moves_[c.move];
      if (!has(m, tile)) continue;
      for (; c.word < m.received.size(); ++c.word) {
        OwnedWord word = filled(m);
        if (!m.pattern->fill) {
          if (queue_[tile].empty()) return moved;
          word = queue_[tile].front();
          queue_[tile].pop_front();
        }
        take(tile, m, c, word);
        moved = true;
      }
    }
    return moved;
  }

  void take(size_t tile, const Move& m, const Cursor& c, const OwnedWord& word) {
    narrow_.at(tile, m.received[c.word]) = word;
    if (m.passes) passed_[tile].push_back(word);
    ++got_[tile][c.move];
  }

  bool round(bool force) {
    bool moved = false;
    for (size_t t = 0; t < kTiles; ++t) moved = send(t, force) || moved;
    for (size_t t = 0; t < kTiles; ++t) moved = receive(t) || moved;
    return moved;
  }

  // Who still waits gets what nobody knows.
  void finish(size_t tile) {
    Cursor& c = receiver_[tile];
    for (; c.move < moves_.size(); ++c.move, c.word = 0) {
      const Move& m = moves_[c.move];
      if (!has(m, tile)) continue;
      const OwnedWord word = m.pattern->fill ? filled(m) : OwnedWord(kUnknown, 0);
      for (; c.word < m.received.size(); ++c.word) take(tile, m, c, word);
    }
  }

  Narrow& narrow_;
  std::vector<Move> moves_;
  std::array<std::deque<OwnedWord>, kTiles> queue_;
  std::array<Cursor, kTiles> sender_, receiver_;
  std::array<std::vector<size_t>, kTiles> got_;  // words received, by move
  std::array<std::vector<OwnedWord>, kTiles> passed_;
};

}  // namespace

void run_mesh(Narrow& narrow, const std::vector<const CopyPattern*>& moves) {
  Mesh(narrow, moves).run();
}

}  // namespace edgetwin::edgetpu
