#include "targets/edgetpu/compile/layout/scratch_pool.h"

#include <algorithm>
#include <array>

#include "targets/edgetpu/compile/layout/gather.h"
#include "targets/edgetpu/compile/layout/mesh.h"
#include "targets/edgetpu/compile/layout/ways.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kPieceWords = 16, kPassedWords = 4;
constexpr uint32_t kMeshCounters = 0x7F8, kMeshIdle = 0x3C0;  // all eight, all four engines

// Words of a piece that go from one tile to another: along the column of tiles first, then along
// the row.
struct Route {
  int64_t first = 0, count = 0;
  std::vector<int> tiles{};  // from the sender to the receiver
};

std::vector<int> tiles_between(int from, int to) {
  std::vector<int> tiles{from};
  while (tiles.back() / kGrid != to / kGrid) {
    tiles.push_back(tiles.back() + (to > from ? kGrid : -kGrid));
  }
  while (tiles.back() != to) tiles.push_back(tiles.back() + (to > tiles.back() ? 1 : -1));
  return tiles;
}

const Way& way_between(int from, int to) {
  if (to == from + 1) return kRight;
  if (to == from - 1) return kLeft;
  return to > from ? kDown : kUp;
}

// Of a piece: what its tiles have of the runs of others.
std::vector<Route> routes_of(const ChannelPieces& pieces, int64_t piece) {
  const int64_t run = spread_words(pieces.all), first = pieces.first(piece);
  std::vector<Route> routes;
  for (int t = 0; t < kGrid; ++t) {
    const int64_t begin = first + kPieceWords * t;
    const int64_t end = std::min(begin + kPieceWords, first + pieces.size(piece));
    for (int64_t at = begin; at < end;) {
      const int to = static_cast<int>(at / run);
      const int64_t n = std::min(end, (to + 1) * run) - at;
      if (to != t) routes.push_back({at, n, tiles_between(t, to)});
      at += n;
    }
  }
  return routes;
}

// Routes at a time that pass by no tile together: each goes with the first ones that it can.
std::vector<std::vector<Route>> together_in_turns(std::vector<Route> routes) {
  std::vector<std::vector<Route>> turns;
  while (!routes.empty()) {
    uint32_t passed = 0;
    std::vector<Route> now, later;
    for (Route& r : routes) {
      uint32_t passes = 0;
      for (size_t k = 1; k + 1 < r.tiles.size(); ++k) {
        passes |= 1U << static_cast<uint32_t>(r.tiles[k]);
      }
      const bool free = (passes & passed) == 0;
      if (free) passed |= passes;
      (free ? now : later).push_back(std::move(r));
    }
    turns.push_back(std::move(now));
    routes = std::move(later);
  }
  return turns;
}

Walk passing_words(int64_t passing, int64_t words) {
  const int64_t n = ceil_div(words, kPassedWords), rest = words % kPassedWords;
  Walk w{.start = passing / 4, .dims = {{1, kPassedWords}, {0, n}}};
  w = w.switched(1, kPassedWords);
  return rest == 0 ? w : w.shortened(rest, 1, kPassedWords - rest);
}

// What comes to a tile between goes on from there, in one instruction or, at the corner, in two.
void go(Program& p, const Route& r, int64_t vector, int64_t passing) {
  const Walk words{.start = vector / 4 + r.first, .dims = {{1, r.count}}};
  const Walk between = passing_words(passing, r.count);
  const auto add = [&](int tile, const Way& way, const Walk& sent, const Walk& received,
                       const std::vector<Wait>& waits, bool out, bool in) {
    Assembly a = p.engine(way.opcode, 1U << static_cast<uint32_t>(tile));
    put(a, kSideA, sent);
    put(a, kSideB, received);
    if (out) a.set("counts.out", 1).set("counts.out.level", 1);
    if (in) a.set("counts.in", 1).set("counts.in.level", 1);
    put_waits(a, waits, true);
    p.add(a);
  };
  const size_t last = r.tiles.size() - 1;
  add(r.tiles[0], way_between(r.tiles[0], r.tiles[1]), words, {}, {}, false, false);
  for (size_t k = 1; k < last; ++k) {
    const Way &came = way_between(r.tiles[k - 1], r.tiles[k]),
              &goes = way_between(r.tiles[k], r.tiles[k + 1]);
    const Wait arrived{came.in, 1, 1}, free{goes.out, 1, -1, 1, 1};
    if (came.opcode == goes.opcode) {
      add(r.tiles[k], came, between, between, {arrived, free}, true, true);
    } else {
      add(r.tiles[k], came, {}, between, {free}, false, true);
      add(r.tiles[k], goes, between, {}, {arrived}, true, false);
    }
  }
  add(r.tiles[last], way_between(r.tiles[last - 1], r.tiles[last]), {}, words, {}, false, false);
}

}  // namespace

std::optional<ChannelPieces> channel_pieces(const Map& map) {
  for (int64_t n = 2; n <= map.words(); ++n) {
    const ChannelPieces pieces{ceil_div(map.words(), n), map.words()};
    Map piece = map;
    piece.channels = 4 * pieces.words;
    if (pieces.words > kGrid * kPieceWords) continue;
    if (map.bytes() + piece.bytes() + mesh_gather_bytes(piece) <= kNarrowBytes) return pieces;
  }
  return std::nullopt;
}

int64_t gathered_bytes(const Map& map) {
  constexpr int64_t kFour = 4;
  const int64_t past = (kFour - map.x.size % kFour) % kFour;
  return (map.y.size * map.x.size + past) * std::min(4 * kPieceWords, map.pixel());
}

bool needs_scratch(const Map& m) {
  if (m.bordered() || m.channels % 4 != 0) return false;
  if (m.bytes() + gathered_bytes(m) + mesh_gather_bytes(m) <= kNarrowBytes) return false;
  const auto pieces = channel_pieces(m);
  if (!pieces) return false;
  Map piece = m;
  piece.channels = 4 * pieces->words;
  return piece.bytes() + gathered_bytes(piece) + mesh_gather_bytes(piece) + m.pixel() <=
         kNarrowBytes;
}

void take_words(Program& p, const TakeSpec& s) {
  const Map &m = *s.from, &o = *s.to;
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!m.has(r, c)) return std::nullopt;
    return without_count(
        copied_box({m.own(r, c) + 4 * s.first, m.pixel(), m.row(c), m.y.total(r) * m.row(c)},
                   {o.own(r, c), o.pixel(), o.row(c), o.y.total(r) * o.row(c)},
                   {m.x.own(c), m.y.own(r), o.words()}, s.matrix));
  });
}

void share_piece(Program& p, const ChannelPieces& pieces, int64_t piece, int64_t vector) {
  const int64_t words = pieces.size(piece);
  std::vector<Transfer> made;
  for (int to = 0; kPieceWords * to < words; ++to) {
    for (int from = 0; kPieceWords * from < words; ++from) {
      if (from == to) continue;
      const int64_t n = std::min(kPieceWords, words - kPieceWords * from);
      Walk block{.start = vector / 4 + pieces.first(piece) + kPieceWords * from, .dims = {{1, n}}};
      if (n == 1) block.levels = 0;
      made.push_back({from, 1U << static_cast<uint32_t>(to), block, block});
    }
  }
  transfers(p, made, true);
}

int64_t spread_words(int64_t words) {
  return kPieceWords * ceil_div(ceil_div(words, kPieceWords), kTiles);
}

void spread_pieces(Program& p, const ChannelPieces& pieces, int64_t vector, int64_t passing) {
  for (int64_t piece = 0; piece < pieces.count(); ++piece) {
    p.settle();
    for (const std::vector<Route>& turn : together_in_turns(routes_of(pieces, piece))) {
      for (const Route& r : turn) go(p, r, vector, passing);
      p.tile_sync(kMeshCounters, kMeshIdle, false);
    }
    p.settle();
  }
  p.epoch();
}

void join_spread(Program& p, int64_t words, int64_t from, int64_t to, uint32_t tiles) {
  const int64_t run = spread_words(words);
  std::vector<Transfer> made;
  for (int t = 0; t * run < words; ++t) {
    const int64_t n = std::min(run, words - t * run);
    made.push_back({t,
                    tiles,
                    {.start = from / 4 + t * run, .dims = {{1, n}}},
                    {.start = to / 4 + t * run, .dims = {{1, n}}}});
  }
  transfers(p, made, true);
}

}  // namespace edgetwin::edgetpu::compiler
