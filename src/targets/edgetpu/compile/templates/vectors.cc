#include <algorithm>

#include "targets/edgetpu/compile/templates/exchange.h"
#include "targets/edgetpu/compile/templates/others.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kBlockOutputs = 64;  // channels of a tile
constexpr int64_t kBlockWords = kBlockOutputs / 4;

// Words of a position that a block of channels is given. In own programs they are as many for each,
// and the last ones overlap, so that tiles share the instructions that bring them. In turns each is
// given its own alone.
struct BlockPart {
  int64_t first = 0, words = 0;
  BlockPart(const Program& p, int64_t words_of_all, int64_t block, const BlockTurn& turn = {})
      : first(kBlockWords * block + turn.first), words(std::min(turn.words, words_of_all - first)) {
    if (p.vendor() || words_of_all < kBlockWords || turn.words < kBlockWords) return;
    first -= kBlockWords - words;
    words = kBlockWords;
  }
};

Walk box_walk(int64_t start, const Dims& dims) {
  return {.start = start, .dims = fused(without_ones(dims, 1))};
}

}  // namespace

void gather(Program& p, const GatherSpec& s) {
  const Map& m = *s.map;
  const int64_t w = m.words(), pitch = s.columns * w;
  if (s.top != 0 || s.left != 0 || s.rows != m.y.size || s.columns != m.x.size) {
    fill(p, Opcode::move_up, s.tiles, {.start = s.base / 4, .dims = {{1, s.rows * pitch}}},
         static_cast<uint32_t>(s.zero) * 0x01010101U);
    p.settle();
  }
  std::vector<Transfer> made;
  for (int t = 0; t < kTiles; ++t) {
    const int r = t / kGrid, c = t % kGrid;
    if (!m.has(r, c)) continue;
    const int64_t h = m.y.own(r), v = m.x.own(c);
    const int64_t to = s.base / 4 + (m.y.begin(r) + s.top) * pitch + (m.x.begin(c) + s.left) * w;
    made.push_back({t, s.tiles, box_walk(m.own(r, c) / 4, {{1, w}, {w, v}, {m.row(c) / 4, h}}),
                    box_walk(to, {{1, w}, {w, v}, {pitch, h}})});
  }
  transfers(p, made);
}

void bring_to_first(Program& p, const Map& m) {
  const int64_t w = m.words(), pitch = m.row(0) / 4;
  std::vector<Transfer> made;
  for (int t = 1; t < kTiles; ++t) {
    const int r = t / kGrid, c = t % kGrid;
    if (!m.has(r, c)) continue;
    const int64_t h = m.y.own(r), v = m.x.own(c);
    const int64_t to = m.own(0, 0) / 4 + m.y.begin(r) * pitch + m.x.begin(c) * w;
    made.push_back({t, 1, box_walk(m.own(r, c) / 4, {{1, w}, {w, v}, {m.row(c) / 4, h}}),
                    box_walk(to, {{1, w}, {w, v}, {pitch, h}})});
  }
  transfers(p, made);
}

namespace {

// What the vendor's compiler waits for before it streams a gathered picture, where all tiles have
// as many channels; of two public programs with hundreds of lines one has other numbers, one has
// none.
constexpr int64_t kWaitedLines = 64;
std::vector<Wait> all_came(size_t level, int64_t start) {
  std::vector<Wait> waits;
  for (const TileCounter c : {TileCounter::avdata, TileCounter::e_in, TileCounter::w_in,
                              TileCounter::s_in, TileCounter::n_in}) {
    waits.push_back({c, static_cast<unsigned>(level), start});
  }
  return waits;
}

}  // namespace

int64_t pool_lines(int64_t rows, int64_t columns) { return ceil_div(columns, 4) * rows; }
bool pool_fits(int64_t rows, int64_t columns) {
  return pool_lines(rows, columns) <= kMostPoolLines;
}
int64_t pool_lowest(int64_t rows, int64_t columns) {
  return kWideTop - 1 - pool_lines(rows, columns);
}

void whole_pool(Program& p, const PoolSpec& s) {
  const int64_t all_blocks = ceil_div(s.channels, kBlockOutputs) - (s.blocks ? s.first : 0);
  const bool some = p.vendor() && all_blocks < kTiles;
  const uint32_t tiles = some ? (1U << static_cast<uint32_t>(all_blocks)) - 1U : kAllTiles;
  fill(p, Opcode::move_up, tiles, {.start = s.scratch / 4, .dims = {{1, 1}}, .levels = 0}, 1);
  // Groups of four columns reach past the last row where they are not whole.
  if (s.columns % 4 != 0) p.settle();
  const int64_t words = ceil_div(s.channels, 4), lines = pool_lines(s.rows, s.columns);
  const int64_t line = p.vendor() ? p.line(kWideTop - lines) : kWideTop - 1 - lines;
  const int64_t from = s.blocks ? s.first : 0;
  const int64_t end = s.blocks ? s.first + kTiles : ceil_div(s.channels, kBlockOutputs);
  for (int64_t first = from; first < end; first += kTiles) {
    const auto group = [&](int r, int c) {
      const int64_t begin = kBlockWords * (first + r * kGrid + c) + s.turn.first;
      return std::min(s.turn.words, words - begin);
    };
    if (first != from) p.settle();
    const int last = static_cast<int>(std::min<int64_t>(all_blocks, kTiles)) - 1;
    const bool alike = group(0, 0) == group(last / kGrid, last % kGrid);
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      const int64_t g = group(r, c), block = first + r * kGrid + c;
      if (g <= 0) return std::nullopt;
      Assembly a(Opcode::narrow_to_wide);
      const BlockPart part(p, words, block, s.turn);
      const int64_t pixel = s.blocks ? part.words : s.group != 0 ? 16 * s.group : words;
      Dims dims = {
          {pixel, 4}, {1, g}, {4 * pixel, ceil_div(s.columns, 4)}, {s.columns * pixel, s.rows}};
      const int64_t in_group = s.group != 0 ? block % s.group : block;
      const int64_t begin = kBlockWords * block + s.turn.first;
      const int64_t start = s.base / 4 + (s.blocks ? begin - part.first : 16 * in_group);
      put(a, kSideA, {.start = start, .dims = without_ones(dims, 2)});
      put(a, kSideB, {.start = line, .dims = {{1, lines}}});
      a.set("layout", 1).set("flush_level", 2);
      if (p.vendor()) {
        a.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", 1);
        if (alike && lines <= kWaitedLines)
          put_waits(a, all_came(without_ones(dims, 2).size(), 1 - lines), true);
      }
      return a;
    });
    p.settle();
    add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
      const int64_t g = group(r, c), block = first + r * kGrid + c, n = s.rows * s.columns;
      if (g <= 0) return std::nullopt;
      const int64_t round = 4 * ceil_div(s.columns, 4);
      TensorSpec spec;
      spec.loop = {s.columns, s.rows};
      spec.in = {.start = s.scratch, .dims = {{0, s.columns}, {0, s.rows}, {4, 1}, {4, 1}}};
      const int64_t place = s.whole != 0 ? block : first / kTiles;
      const int64_t whole = s.whole != 0 ? s.whole : 4 * g;
      spec.out = {.start = s.out + 4 * (kBlockWords * place + s.turn.first),
                  .dims = {{4, g}, {whole, 1}, {whole, 1}, {4 * g, 1}, {whole, 1}}};
      spec.weight = {.start = 4 * line,
                     .dims = {{1, s.columns},
                              {round, s.rows},
                              {s.stride_x, 1},
                              {s.stride_y * round, 1},
                              {round * s.rows, 1},
                              {round * s.rows, 1}}};
      spec.acc.dims = {{0, n}};
      spec.acc = spec.acc.switched(1, 4);
      spec.avdata_level = 3;
      spec.counts_parameters = p.vendor();
      spec.parameters_level = 4;
      spec.kind = 0x1870;
      spec.lanes = 4 * g;
      spec.role = Role::two_operands;
      return tensor(spec, s.numbers);
    });
  }
}

void gather_blocks(Program& p, const Map& m, int64_t base, int64_t first, const BlockTurn& turn) {
  std::vector<Transfer> made;
  for (int64_t block = first; block < first + kTiles && 16 * block < m.words(); ++block) {
    const BlockPart part(p, m.words(), block, turn);
    const int64_t g = part.words;
    if (g <= 0) continue;
    for (int t = 0; t < kTiles; ++t) {
      const int r = t / kGrid, c = t % kGrid;
      if (!m.has(r, c)) continue;
      const int64_t h = m.y.own(r), v = m.x.own(c);
      const int64_t to = base / 4 + (m.y.begin(r) * m.x.size + m.x.begin(c)) * g;
      made.push_back(
          {t, 1U << (block - first),
           box_walk(m.own(r, c) / 4 + part.first, {{1, g}, {m.words(), v}, {m.row(c) / 4, h}}),
           box_walk(to, {{1, g}, {g, v}, {g * m.x.size, h}})});
    }
  }
  transfers(p, made);
}

void gather_groups(Program& p, const Map& m, int64_t base, int64_t group) {
  std::vector<Transfer> made;
  const int64_t pitch = 16 * group, blocks = ceil_div(m.words(), 16);
  for (int64_t first = 0; first < blocks; first += group) {
    const int64_t n = std::min(group, blocks - first), g = std::min(16 * n, m.words() - 16 * first);
    const auto tiles = ((1U << static_cast<uint32_t>(n)) - 1U) << static_cast<uint32_t>(first);
    for (int t = 0; t < kTiles; ++t) {
      const int r = t / kGrid, c = t % kGrid;
      if (!m.has(r, c)) continue;
      const int64_t h = m.y.own(r), v = m.x.own(c);
      const int64_t to = base / 4 + (m.y.begin(r) * m.x.size + m.x.begin(c)) * pitch;
      made.push_back(
          {t, tiles,
           box_walk(m.own(r, c) / 4 + 16 * first, {{1, g}, {m.words(), v}, {m.row(c) / 4, h}}),
           box_walk(to, {{1, g}, {pitch, v}, {pitch * m.x.size, h}})});
    }
  }
  transfers(p, made);
}

void broadcast(Program& p, int64_t bytes, int64_t from, int64_t to, uint32_t tiles,
               int first_tile) {
  std::vector<Transfer> made;
  for (int64_t block = 0; block * kBlockOutputs < bytes; ++block) {
    const int64_t n = std::min<int64_t>(16, ceil_div(bytes, 4) - 16 * block);
    Walk source{.start = from / 4 + 16 * (block / kTiles), .dims = {{1, n}}};
    if (n == 1) source.levels = 0;
    made.push_back({first_tile + static_cast<int>(block % kTiles),
                    tiles,
                    source,
                    {.start = to / 4 + 16 * block, .dims = {{1, n}}}});
  }
  transfers(p, made, p.vendor());
}

void stream_dense(Program& p, const DenseSpec& s, const Stream& first) {
  for (const Piece& piece : s.blocks) {
    Assembly a = p.engine(Opcode::ring_receive, 1U << piece.tile);
    const Walk lines{.start = piece.line, .dims = {{1, piece.lines}}};
    put(a, kSideA, lines);
    a.set("counts.ring_read", 1);
    p.add(a);
  }
  int64_t offset = first.offset;
  for (const Piece& piece : s.blocks) {
    p.stream(offset, first.bytes);
    p.take_stream(1U << piece.tile, first.bytes, s.slots);
    offset += first.bytes;
  }
}

void dense(Program& p, const DenseSpec& s) {
  const int64_t words = ceil_div(s.inputs, 4);
  const int64_t blocks = static_cast<int64_t>(s.blocks.size());
  const int64_t header = s.blocks[0].line, weights = header + s.items;
  const uint32_t busy = blocks >= kTiles ? kAllTiles : ((1U << blocks) - 1U) << s.tile;
  const int64_t lines = int64_t{s.numbers.has_scale} + int64_t{s.numbers.has_bias};
  if (p.vendor()) {
    if (!p.after_epoch()) p.epoch();
    p.sync(0, 0, false, kFeedsIdle);
    p.epoch();
  }
  if (lines != 0) {
    Assembly a = p.engine(Opcode::wide_to_narrow, busy);
    put(a, kSideA, {.start = header, .dims = {{1, lines}}});
    const Walk to{.start = s.numbers.has_scale ? 0 : 64,
                  .dims = {{1, p.vendor() ? 32 : s.slots / 2}, {64, lines}}};
    put(a, kSideB, to.switched(2, 32));
    a.set("counts.wide_to_narrow", 1).set("counts.wide_to_narrow.level", 2);
    a.set("numbers", 1).set("flush_level", 1);
    put_waits(a, {{TileCounter::avdata, 2, -1, 1, 1}}, true);
    p.add(a);
  }
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    const int64_t block = r * kGrid + c - s.tile;
    if (block < 0 || block >= blocks) return std::nullopt;
    const int64_t rest = std::min<int64_t>(kBlockOutputs, s.outputs - block * kBlockOutputs);
    const int64_t lanes = 4 * ceil_div(rest, 4);
    TensorSpec spec;
    spec.loop = {words};
    spec.in = {.start = s.in, .dims = {{4, words}, {4 * words, 1}, {4 * words, 1}}};
    const int64_t all = p.vendor() ? std::min(kBlockOutputs, ceil_div(s.outputs, 4) * 4) : lanes;
    spec.out = {.start = s.out, .dims = {{4, lanes / 4}, {lanes, 1}, {all, 1}}};
    spec.weight = {.start = 4 * weights, .dims = {{4, words}}};
    spec.acc.dims = {{0, words}};
    // As public programs have it where the parameters hold all three items.
    if (s.numbers.items() == 3) spec.acc = spec.acc.switched(1, 4);
    spec.avdata_level = 2;
    spec.counts_parameters = true;
    spec.parameters_level = 1;
    if (lines != 0) spec.waits = {{TileCounter::wide_to_scaling, 1, 1}};
    spec.kind = 0x38;
    spec.lanes = lanes;
    spec.role = Role::dense;
    spec.zero_line = header + lines;
    spec.zero_by = p.vendor() ? 1 : 0;
    spec.zero_end = header + s.items - 1;
    return tensor(spec, s.numbers);
  });
  if (p.vendor()) {
    p.epoch();
    p.fence(kTileCounters17);
  }
}

}  // namespace edgetwin::edgetpu::compiler
