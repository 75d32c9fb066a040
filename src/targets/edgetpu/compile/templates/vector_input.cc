// What comes from the host in one way for all, and vectors.
#include "targets/edgetpu/compile/templates/host_scratch.h"
#include "targets/edgetpu/compile/templates/input_parts.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint32_t kInputTag = 1;
constexpr uint64_t kInfeedRoom = 32764;

constexpr uint32_t kRoomCounter = 1U << static_cast<unsigned>(ScalarCounter::avdata_infeed);
constexpr uint32_t kTakenCounter = 1U << static_cast<unsigned>(ScalarCounter::avdata_pop);

}  // namespace

void begin_input(Program& p) {
  if (!p.vendor()) return;
  p.sync(kRoomCounter | kTakenCounter, 0, false, kFeedsIdle);
  p.fence();
}

void infeed(Program& p, const std::string& name, const SentRows& sent) {
  if (p.vendor()) p.descriptor_address(darwinn::BaseAddress::input, name);
  p.sync(kRoomCounter, kInfeedRoom, false, kFeedsIdle);
  p.sync(kTakenCounter, 0, false, kFeedsIdle);
  Assembly a(Opcode::infeed);
  a.set("input", 1).set("counts.pop", 1);
  put(a, kSideA, stream_walk(0, ceil_div(sent.bytes, kInputUnit), kInputChunk));
  put_waits(a, {{ScalarCounter::avdata_infeed, 0, 0}}, false);
  p.add(a);
  if (!p.vendor()) p.descriptor_address(darwinn::BaseAddress::input, name);
  sent.offset == 0 ? p.descriptor_copy() : p.descriptor_copy_from(sent.offset);
  p.descriptor_issue(sent.bytes, kInputTag);
}

void param(Program& p, uint32_t tiles, int64_t first, int64_t units, bool turn) {
  Assembly a(Opcode::param);
  a.set("kind", 1).set("tiles", tiles).set("lanes", 63).set("counts.infeed", 1);
  put(a, kSideA, stream_walk(first % kInputRing, units, kInputChunk));
  std::vector<Wait> waits{{ScalarCounter::avdata_pop, 0, first + 1}};
  if (turn) waits.push_back({ScalarCounter::producer_b, 2, p.ring.b});
  put_waits(a, waits, false);
  a.set_bits(kParamAlwaysBit, 1, 1);
  p.add(a);
}

namespace {

// Lines of a tile's part, two of which take turns.
Walk scratch_lines(const Program& p, int64_t bytes) {
  const Walk lines{.start = p.line(kOutputLowest), .dims = {{0, ceil_div(bytes, kInputLine)}}};
  return lines.switched(0, 1);
}

// Parts of a picture in the order in which the host has them.
void scratch_parts(Program& p, const Map& m) {
  int64_t unit = 0;
  for (const int t : scratch_order()) {
    if (!m.has(t / kGrid, t % kGrid)) continue;
    const uint32_t tile = 1U << static_cast<unsigned>(t);
    Assembly a = p.engine(Opcode::ring_receive, tile);
    put(a, kSideA, scratch_lines(p, map_part_bytes(m, t)));
    a.set("counts.ring_read", 1);
    put_waits(a, {{TileCounter::wide_to_narrow, 0, -kLineWords, kLineWords, 1}}, true);
    p.add(a);
    const int64_t units = map_tile_bytes(m, t) / kInputUnit;
    param(p, tile, unit, units, unit == 0);
    unit += units;
  }
}

}  // namespace

void from_scratch(Program& p, const Map& m, int64_t offset) {
  constexpr uint32_t kStreamIdle = 0x10;  // what the scalar core stores
  const int64_t bytes = map_output_bytes(m);
  p.epoch();
  p.settle();
  p.sync(0, 0, false, kStreamIdle);
  p.sync(kRoomCounter | kTakenCounter, 0, false, kFeedsIdle);
  p.scratch_address(offset);
  Assembly a(Opcode::infeed);
  a.set("input", 1).set("counts.pop", 1);
  put(a, kSideA, stream_walk(0, bytes / kInputUnit, kInputChunk));
  put_waits(a, {{ScalarCounter::avdata_infeed, 0, -static_cast<int64_t>(kInfeedRoom)}}, false);
  p.add(a);
  p.scratch_copy();
  p.descriptor_issue(bytes, kInputTag);
  add_by_tiles(p, [&](int r, int c) -> std::optional<Assembly> {
    if (!m.has(r, c)) return std::nullopt;
    const int64_t w = m.x.own(c), h = m.y.own(r);
    Assembly w2n(Opcode::wide_to_narrow);
    put(w2n, kSideA, scratch_lines(p, w * h * m.pixel()));
    put(w2n, kSideB,
        {.start = m.own(r, c) / 4, .dims = {{1, m.words()}, {m.words(), w}, {m.row(c) / 4, h}}});
    w2n.set("counts.wide_to_narrow", 1).set("flush_level", 3);
    put_waits(w2n, {{TileCounter::ring_read_a, 0, 1}}, true);
    return w2n;
  });
  scratch_parts(p, m);
  p.settle();
  p.epoch();
}

bool can_split_vector(int64_t bytes) {
  return bytes % kInputLine == 0 && bytes <= kGrid * kInputLine;
}

// Each tile takes its own 64 bytes of the 256 that its row of tiles gets.
void split_vector_input(Program& p, const std::string& name, int64_t bytes, int64_t base) {
  const int64_t lines = bytes / kInputLine, first = kWideTop - 2 * lines, words = base / 4;
  begin_input(p);
  p.tile_sync(0, kMatrixIdle, false);
  infeed(p, name, {0, bytes});
  const uint32_t all = (1U << (kGrid * static_cast<unsigned>(lines))) - 1U;
  for (int c = 0; c < kGrid; ++c) {
    constexpr uint32_t kColumn = 0x1111;
    const int64_t skipped = 16 * c;
    Assembly w2n = p.engine(Opcode::wide_to_narrow, all & (kColumn << static_cast<unsigned>(c)));
    put(w2n, kSideA, {.start = first, .dims = {{1, 1}}, .levels = 0});
    put(w2n, kSideB, Walk{.start = words, .dims = {{1, 16}}}.switched(1, kLineWords));
    if (skipped != 0) {
      w2n.set("skip", 3).set("skip.count", static_cast<uint64_t>(skipped - 1));
      w2n.set("skip.start", static_cast<uint64_t>(base));
      w2n.set("skip.end", static_cast<uint64_t>(words + skipped - 1));
    }
    w2n.set("counts.wide_to_narrow", 1).set("flush_level", skipped == 0 ? 1 : 2);
    put_waits(w2n, {{TileCounter::ring_read_a, 1, 1}, {TileCounter::avdata, 1, -1, 1, 1}}, true);
    p.add(w2n);
  }
  for (int r = 0; r < lines; ++r) {
    constexpr uint32_t kRow = 0xF;
    const uint32_t tiles = kRow << (kGrid * static_cast<unsigned>(r));
    Assembly receive = p.engine(Opcode::ring_receive, tiles);
    Walk to{.start = first, .dims = {{1, 1}}};
    if (lines == 1) to.levels = 0;
    put(receive, kSideA, to.switched(1, lines));
    receive.set("counts.ring_read", 1).set("counts.ring_read.level", 1);
    const int64_t room = lines * kLineWords;
    put_waits(receive, {{TileCounter::wide_to_narrow, 1, -room, room, 1}}, true);
    p.add(receive);
    param(p, tiles, r * kInputLine / kInputUnit, kInputLine / kInputUnit);
  }
  p.settle();
  p.epoch();
}

void vector_input(Program& p, const std::string& name, int64_t bytes, int64_t base) {
  infeed(p, name, {0, bytes});
  const int64_t lines = ceil_div(bytes, kInputLine);
  const unsigned level = lines == 1 ? 1 : 0;
  Walk at{.start = 2077, .dims = {{0, lines}}};
  if (lines == 1) {
    at.dims = {{1, 1}};
    at.levels = 0;
  }
  Assembly w2n = p.engine(Opcode::wide_to_narrow, kAllTiles);
  put(w2n, kSideA, at.switched(level, 1));
  put(w2n, kSideB, {.start = base / 4, .dims = {{1, ceil_div(bytes, 4)}}});
  w2n.set("counts.wide_to_narrow", 1).set("flush_level", 1);
  put_waits(w2n, {{TileCounter::ring_read_a, level, 1}}, true);
  p.add(w2n);
  Assembly receive = p.engine(Opcode::ring_receive, kAllTiles);
  put(receive, kSideA, at.switched(level, 1));
  receive.set("counts.ring_read", 1).set("counts.ring_read.level", level);
  put_waits(receive, {{TileCounter::wide_to_narrow, level, -kLineWords, kLineWords, 1}}, true);
  p.add(receive);
  param(p, kAllTiles, 0, ceil_div(bytes, kInputUnit));
}

}  // namespace edgetwin::edgetpu::compiler
