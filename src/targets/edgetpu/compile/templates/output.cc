#include <algorithm>

#include "targets/edgetpu/compile/templates/host_scratch.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr uint32_t kOutputTag = 3;
constexpr int64_t kOutputLine = 256;
constexpr int64_t kOutputUnit = 8;

// `before`: lines that the tile sent in this step.
void send_out(Program& p, int tile, int64_t bytes, int64_t before = 0,
              int64_t line = kOutputLowest) {
  Assembly outfeed(Opcode::outfeed);
  const int64_t units = ceil_div(bytes, kOutputUnit);
  put(outfeed, kSideA, {.dims = {{0, units}}});
  outfeed.set("stream", 1).set("stream.level", 1).set("host", 1);
  outfeed.set_bits(kOutfeedAlwaysBits, 6, 0x3F);
  p.add(outfeed);
  if (p.vendor()) ++p.ring.ring_outfeed;  // it counts once
  Assembly a = p.engine(Opcode::ring_send, 1U << tile);
  const Walk lines{.start = p.line(line), .dims = {{1, 1}, {0, ceil_div(bytes, kOutputLine)}}};
  put(a, kSideA, lines.switched(1, 1));
  a.set("counts.ring_write", 1).set("counts.ring_write.level", 1);
  a.set("counts.ring_producer", 1).set("counts.ring_producer.level", 2).set("outfeed", 1);
  put_waits(
      a,
      {{TileCounter::ring_producer_a, 2, p.ring.a}, {TileCounter::narrow_to_wide, 1, before + 1}},
      true);
  p.add(a);
  ++p.ring.a;
}

Assembly fetch(const Program& p, const Walk& from, int64_t bytes, unsigned flush,
               int64_t before = 0, int64_t line = kOutputLowest) {
  Assembly a(Opcode::narrow_to_wide);
  put(a, kSideA, from);
  const int64_t lines = ceil_div(bytes, kOutputLine);
  Walk to{.start = p.line(line), .dims = {{0, lines}}};
  if (lines == 1) {
    to.dims = {{1, 1}};
    to.levels = 0;
  }
  const unsigned level = lines == 1 ? 1 : 0;
  put(a, kSideB, to.switched(level, 1));
  a.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", level);
  a.set("flush_level", flush);
  put_waits(a, {{TileCounter::ring_write, level, before - 1, 1, 1}}, true);
  return a;
}

// The descriptor of an output, and the instructions that fetch it, which the vendor's compiler puts
// amid it.
void begin_output(Program& p, const std::string& name, int64_t bytes,
                  const std::function<void()>& fetches, int64_t offset = 0) {
  p.descriptor_address(darwinn::BaseAddress::output, name);
  offset == 0 ? p.descriptor_copy() : p.descriptor_copy_from(offset);
  if (p.vendor()) fetches();
  p.descriptor_issue(bytes, kOutputTag);
  if (!p.vendor()) fetches();
}

// Of the scalar core that outputs go through: in public programs 4,089 fit, 4,104 do not.
constexpr int64_t kMemoryWords = 4096;

int64_t part_words(const Map& m, int tile) {
  return m.y.own(tile / kGrid) * m.x.own(tile % kGrid) * m.words();
}

// All lines of a part, which outfeeds take in pieces.
void send_lines(Program& p, int tile, int64_t lines, int64_t line) {
  Assembly a = p.engine(Opcode::ring_send, 1U << tile);
  put(a, kSideA, Walk{.start = p.line(line), .dims = {{1, 1}, {0, lines}}}.switched(1, 1));
  a.set("counts.ring_write", 1).set("counts.ring_write.level", 1);
  a.set("counts.ring_producer", 1).set("counts.ring_producer.level", 1).set("outfeed", 1);
  put_waits(a, {{TileCounter::ring_producer_a, 1, p.ring.a}, {TileCounter::narrow_to_wide, 1, 1}},
            true);
  p.add(a);
  p.ring.a += lines;
}

// The way of all parts: `begin` one of so many words, `take` words of it after those that are held,
// `give` what is held, where more comes or not.
template <class Begin, class Take, class Give>
void each_memory_piece(const Map& m, const Begin& begin, const Take& take, const Give& give) {
  int64_t held = 0;
  for (int t = 0; t < kTiles; ++t) {
    int64_t left = part_words(m, t);
    if (left != 0) begin(t, left);
    while (left > 0) {
      // All of it, or whole lines.
      const int64_t room = kMemoryWords - held;
      const int64_t n = left <= room ? left : room / kLineWords * kLineWords;
      if (n > 0) take(held, n);
      held += n, left -= n;
      if (left == 0) continue;
      give(held, true);
      held -= Program::words_given(held, true);
    }
  }
  give(held, false);
}

void output_by_memory(Program& p, const Map& m, const std::string& name, int64_t line,
                      const std::function<void()>& fetches) {
  constexpr uint32_t kCoreOutfeedIdle = 0x10;
  p.descriptor_address(darwinn::BaseAddress::output, name);
  p.descriptor_copy();
  fetches();
  const auto begin = [&](int tile, int64_t words) {
    send_lines(p, tile, ceil_div(words, kLineWords), line);
    p.sync(0, 0, false, kCoreOutfeedIdle);
  };
  const auto take = [&](int64_t held, int64_t n) {
    Assembly outfeed(Opcode::outfeed);
    put(outfeed, kSideA, {.start = held, .dims = {{1, n}}});
    outfeed.set_bits(kOutfeedAlwaysBits, 6, 0x3F);
    p.add(outfeed);
  };
  each_memory_piece(m, begin, take,
                    [&](int64_t held, bool more) { p.give_memory(held, kOutputTag, more); });
}

}  // namespace

// In the vendor's style, where a part of the output but the last has an odd number of words.
bool leaves_by_memory(const Map& m) {
  bool odd = false;
  for (int t = 0; t < kTiles; ++t) {
    if (part_words(m, t) == 0) continue;
    if (odd) return true;
    odd = part_words(m, t) % 2 != 0;
  }
  return false;
}

std::vector<SentRows> memory_pieces(const Map& m) {
  std::vector<SentRows> pieces;
  each_memory_piece(
      m, [](int, int64_t) {}, [](int64_t, int64_t) {},
      [&](int64_t held, bool more) {
        const int64_t before = pieces.empty() ? 0 : pieces.back().offset + pieces.back().bytes;
        pieces.push_back({before, 8 * ceil_div(Program::words_given(held, more), 2)});
      });
  return pieces;
}

int64_t map_part_bytes(const Map& m, int tile) { return 4 * part_words(m, tile); }

int64_t map_tile_bytes(const Map& m, int tile) {
  return ceil_div(map_part_bytes(m, tile), kOutputUnit) * kOutputUnit;
}

int64_t map_output_bytes(const Map& m) {
  int64_t all = 0;
  for (int t = 0; t < kTiles; ++t) all += map_tile_bytes(m, t);
  return all;
}

namespace {

std::optional<Assembly> fetch_part(const Program& p, const Map& m, int r, int c, int64_t line) {
  if (!m.has(r, c)) return std::nullopt;
  const int64_t w = m.x.own(c), h = m.y.own(r);
  Walk from{.start = m.own(r, c) / 4, .dims = {{1, m.words()}, {m.words(), w}, {m.row(c) / 4, h}}};
  // Of a list the only row or column has no level.
  if (p.vendor() && (m.y.size == 1 || m.x.size == 1)) from.dims = without_ones(from.dims);
  const bool no_words = p.vendor() && m.words() == 1 && from.dims.size() > 1;
  if (no_words && from.dims.front().count == 1) from.dims.erase(from.dims.begin());
  return fetch(p, from, w * h * m.pixel(), static_cast<unsigned>(from.dims.size()), 0, line);
}

}  // namespace

void map_output(Program& p, const Map& m, const std::string& name, int64_t line, int64_t offset) {
  const auto fetches = [&] {
    add_by_tiles(p, [&](int r, int c) { return fetch_part(p, m, r, c, line); });
  };
  if (p.vendor() && leaves_by_memory(m)) {
    return output_by_memory(p, m, name, line, fetches);
  }
  begin_output(p, name, map_output_bytes(m), fetches, offset);
  for (int t = 0; t < kTiles; ++t) {
    if (m.has(t / kGrid, t % kGrid)) {
      send_out(p, t, m.y.own(t / kGrid) * m.x.own(t % kGrid) * m.pixel(), 0, line);
    }
  }
}

std::array<int, kTiles> scratch_order() {
  std::array<int, kTiles> order{};
  for (int k = 0; k < kTiles; ++k) {
    const int row = k / kGrid, column = k % kGrid;
    order.at(static_cast<size_t>(k)) =
        (kGrid - 1 - row) * kGrid + (row % 2 == 0 ? column : kGrid - 1 - column);
  }
  return order;
}

void to_scratch(Program& p, const Map& m, int64_t offset) {
  p.scratch_address(offset);
  add_by_tiles(p, [&](int r, int c) { return fetch_part(p, m, r, c, kOutputLowest); });
  p.scratch_copy();
  p.descriptor_issue(map_output_bytes(m), kOutputTag);
  for (const int t : scratch_order()) {
    if (m.has(t / kGrid, t % kGrid)) send_out(p, t, map_part_bytes(m, t));
  }
  p.settle();
}

int64_t vector_output_bytes(int64_t bytes) { return ceil_div(bytes, kOutputUnit) * kOutputUnit; }

void vector_output(Program& p, int64_t bytes, int64_t base, const std::string& name,
                   int first_tile) {
  constexpr int64_t kBlock = 64;
  const int64_t padded = ceil_div(bytes, 4) * 4;
  for (int64_t first = 0; first * kBlock < padded; first += kTiles) {
    const int64_t round = first / kTiles;
    const auto size_of = [&](int t) { return std::min(kBlock, padded - (first + t) * kBlock); };
    const auto fetch_block = [&](int r, int c) -> std::optional<Assembly> {
      const int t = r * kGrid + c - first_tile;
      const int64_t size = t < 0 ? 0 : size_of(t);
      if (size <= 0) return std::nullopt;
      const Walk from{.start = base / 4 + round * kBlock / 4, .dims = {{1, size / 4}}};
      return fetch(p, from, size, 1, round);
    };
    if (first == 0) {
      begin_output(p, name, vector_output_bytes(bytes), [&] { add_by_tiles(p, fetch_block); });
    } else {
      add_by_tiles(p, fetch_block);
    }
    for (int t = 0; first_tile + t < kTiles; ++t) {
      if (size_of(t) > 0) send_out(p, first_tile + t, size_of(t), round);
    }
  }
}

void whole_output(Program& p, int64_t bytes, int64_t base, const std::string& name) {
  const int64_t words = ceil_div(bytes, 4);
  begin_output(p, name, vector_output_bytes(bytes), [&] {
    p.add(fetch(p, {.start = base / 4, .dims = {{1, words}}}, 4 * words, 1), 1);
  });
  send_out(p, 0, 4 * words);
}

}  // namespace edgetwin::edgetpu::compiler
