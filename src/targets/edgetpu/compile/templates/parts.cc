#include "targets/edgetpu/compile/templates/parts.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "targets/edgetpu/forms/forms.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr size_t kRoleBit = 1922, kSecondLanesBit = 1934;
constexpr int64_t kSendLine = 2073, kReceiveLine = 2077;  // two lines each
constexpr int64_t kVendorSendLine = 2074, kVendorReceiveLine = 2078;

void put_numbers(Assembly& a, const Numbers& n, Opcode opcode) {
  if (opcode == Opcode::tensor_resize) {  // it has no others
    a.set("multiplier", std::bit_cast<uint32_t>(n.multiplier));
    return;
  }
  a.set("channel_zero_points", n.has_zero ? 1 : 0);
  a.set("weight_zero_point", static_cast<uint64_t>(n.has_zero ? 0 : n.weight_zero));
  a.set("input_zero_point", static_cast<uint64_t>(n.input_zero));
  a.set("output_zero_point", static_cast<uint64_t>(n.output_zero));
  a.set("multiplier", std::bit_cast<uint32_t>(n.has_scale ? 1.0F : n.multiplier));
  a.set("upper", std::bit_cast<uint32_t>(n.high)).set("lower", std::bit_cast<uint32_t>(n.low));
  a.set("constant", static_cast<uint32_t>(n.constant));
  a.set("has_bias", n.has_bias ? 1 : 0).set("has_scales", n.has_scale ? 1 : 0);
  a.set("function", n.function ? 1 : 0);
  if (n.wide != 0) a.set("wide_result", static_cast<uint64_t>(n.wide));
}

}  // namespace

Numbers copy_numbers() {
  Numbers n;
  n.high = std::numeric_limits<float>::infinity();
  n.low = -n.high;
  return n;
}

Numbers below_largest() {
  Numbers n;
  n.weight_zero = 1;
  n.output_zero = 255;
  n.low = -255.0F;
  return n;
}

TensorSpec selection_of(int64_t words, int64_t columns, int64_t rows, int64_t line) {
  TensorSpec spec;
  spec.loop = {4, words, columns, rows};
  spec.avdata_level = 3;
  spec.weight = {.start = 4 * line, .dims = {{1, 4}, {0, words}, {0, columns}, {0, rows}}};
  spec.weight = spec.weight.switched(1, 0);
  spec.acc.dims = {{0, 4}, {0, words}, {0, columns}, {0, rows}};
  spec.acc = spec.acc.switched(1, 4);
  spec.kind = 0x1C30;
  spec.role = Role::selection;
  return spec;
}

TensorSpec widening_of(int64_t from, int64_t to, int64_t words, int64_t line) {
  TensorSpec spec;
  spec.loop = {words};
  spec.in = {.start = from, .dims = {{4, 1}, {4 * words, 1}, {4, words}}};
  spec.out = {.start = to, .dims = {{4, 2}, {8 * words, 1}, {8, words}}};
  spec.avdata_level = 2;
  spec.weight = {.start = 4 * line, .dims = {{0, words}}};
  spec.acc = Walk{.dims = {{0, words}}}.switched(0, 4);
  spec.kind = 0x30;
  return spec;
}

Assembly tensor(const TensorSpec& s, const Numbers& numbers) {
  Assembly a(s.opcode);
  for (size_t k = 0; k < s.loop.size(); ++k) {
    a.set("loop", static_cast<uint64_t>(s.loop[k] - 1), k);
  }
  put(a, kIn, s.in);
  put(a, kOut, s.out);
  put(a, kWeight, s.weight);
  put(a, kAcc, s.acc);
  a.set("counts.avdata", 1).set("counts.avdata.level", s.avdata_level);
  if (s.counts_parameters) {
    a.set("counts.parameters", 1).set("counts.parameters.level", s.parameters_level);
  }
  put_waits(a, s.waits, false);
  a.set("kind", s.kind);
  put_numbers(a, numbers, s.opcode);
  if (numbers.has_zero) {
    a.set("zero_points.start", static_cast<uint64_t>(s.zero_line));
    a.set("zero_points.switch_by", static_cast<uint64_t>(s.zero_by));
    a.set("zero_points.end", static_cast<uint64_t>(s.zero_end));
  }
  a.set("lanes", static_cast<uint64_t>(s.lanes - 1));
  a.set_bits(kRoleBit, 12, static_cast<uint64_t>(s.role));
  const int64_t last_lanes = s.last_lanes != 0 ? s.last_lanes : s.lanes;
  a.set_bits(kSecondLanesBit, 6, static_cast<uint64_t>(last_lanes - 1));
  return a;
}

Assembly without_count(Assembly tensor) {
  return tensor.set("counts.avdata", 0).set("counts.avdata.level", 0);
}

Assembly with_last(Assembly a, int64_t turns) {
  constexpr size_t kLastLevelBit = 188;  // 1 wherever public programs have a short last pass
  if (turns == 0) return a;
  return a.set("last", static_cast<uint64_t>(turns - 1)).set_bits(kLastLevelBit, 3, 1);
}

void add_by_tiles(Program& p, const std::function<std::optional<Assembly>(int r, int c)>& make,
                  const std::function<int(int r, int c)>& kind) {
  struct Made {
    Assembly instruction;
    int kind = 0;
    uint32_t tiles = 0;
    Bytes in_tile;  // with the tile's waits
  };
  std::vector<Made> all;
  for (int t = 0; t < kTiles; ++t) {
    std::optional<Assembly> a = make(t / kGrid, t % kGrid);
    if (!a) continue;
    const int of = kind ? kind(t / kGrid, t % kGrid) : 0;
    Bytes in_tile = p.in_tile(*a, t).bytes();
    auto same = std::find_if(all.begin(), all.end(),
                             [&](const Made& m) { return m.kind == of && m.in_tile == in_tile; });
    if (same == all.end()) same = all.insert(same, {std::move(*a), of, 0, std::move(in_tile)});
    same->tiles |= 1U << t;
  }
  for (Made& m : all) p.add(std::move(m.instruction), m.tiles);
}

bool is_known(const Assembly& a) {
  const ByteSpan bytes(a.bytes());
  const Instruction i{find_opcode(opcode_of(bytes.first(kWordBytes))), 0, bytes};
  return forms::is_known_coarse(i);
}

Assembly first_known(const std::vector<Assembly>& candidates) {
  for (const Assembly& a : candidates) {
    if (is_known(a)) return a;
  }
  return candidates.front();
}

void fill(Program& p, Opcode move, uint32_t tiles, const Walk& words, uint32_t pattern,
          bool counted) {
  Assembly a = p.engine(move, tiles);
  put(a, kSideB, words);
  a.set("fill", 1).set("pattern", pattern);
  if (counted) a.set("counts.in", 1).set("counts.in.level", 1);
  p.add(a);
}

void stream_weights(Program& p, const Walk& from, const Walk& to, unsigned level, unsigned layout,
                    unsigned flush) {
  Assembly a = p.engine(Opcode::narrow_to_wide, kAllTiles);
  put(a, kSideA, from);
  put(a, kSideB, to);
  a.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", level);
  a.set("layout", layout).set("flush_level", flush);
  put_waits(a, {{TileCounter::parameters, level, -1, 1, 1}}, true);
  p.add(a);
}

void follow_stream(TensorSpec& spec) {
  spec.counts_parameters = true;
  spec.parameters_level = 1;
  spec.waits = {{TileCounter::narrow_to_wide, 1, 1}};
}

Walk from_here(int64_t start, Dim first, int64_t whole, size_t levels) {
  Walk w{.start = start, .dims = {first}};
  while (w.dims.size() < levels) w.dims.push_back({whole, 1});
  return w;
}

void transfer(Program& p, int source, uint32_t destination, const Walk& from, const Walk& to,
              TransferCounts& counts) {
  const int64_t words = places(from.dims);
  const int64_t lines = (words + kLineWords - 1) / kLineWords;
  unsigned level = lines == 1 ? 1 : 0;
  const auto lines_at = [&](int64_t start) {
    Walk w{.start = start, .dims = {{level == 1 ? 1 : 0, lines}}};
    if (level == 1) w.levels = 0;
    return w.switched(level, 1);
  };
  const int64_t send_line = p.line(p.vendor() ? kVendorSendLine : kSendLine);
  const int64_t receive_line = p.line(p.vendor() ? kVendorReceiveLine : kReceiveLine);
  const auto stored = [&] {
    Assembly a = p.engine(Opcode::wide_to_narrow, destination);
    put(a, kSideA, lines_at(receive_line));
    put(a, kSideB, to);
    a.set("counts.wide_to_narrow", 1).set("flush_level", 1);
    if (to.levels == uint64_t{0}) a.set("counts.wide_to_narrow.level", 1);  // one word
    put_waits(a, {{TileCounter::ring_read_a, level, counts.received_lines + 1}}, true);
    return a;
  };
  Assembly w2n = stored();
  if (!is_known(w2n)) level = 0, w2n = stored();  // one line as several are
  p.add(w2n);
  Assembly receive = p.engine(Opcode::ring_receive, destination);
  put(receive, kSideA, lines_at(receive_line));
  receive.set("counts.ring_read", 1).set("counts.ring_read.level", level);
  const bool whole = counts.received_lines == 0 || counts.whole_lines;
  const int64_t room = whole ? kLineWords : counts.last_words;
  put_waits(receive,
            {{TileCounter::wide_to_narrow, level, counts.received_words - room, kLineWords, 1}},
            true);
  p.add(receive);
  int64_t& sent = counts.sent.at(static_cast<size_t>(source));
  Assembly send = p.engine(Opcode::ring_send, 1U << source);
  put(send, kSideA, Walk{.start = send_line, .dims = {{1, 1}, {0, lines}}}.switched(1, 1));
  send.set("counts.ring_write", 1).set("counts.ring_write.level", 1);
  send.set("counts.ring_producer", 1).set("counts.ring_producer.level", 2);
  send.set("destination", destination);
  put_waits(
      send,
      {{TileCounter::ring_producer_a, 2, p.ring.a}, {TileCounter::narrow_to_wide, 1, sent + 1}},
      true);
  p.add(send);
  Assembly n2w = p.engine(Opcode::narrow_to_wide, 1U << source);
  put(n2w, kSideA, from);
  put(n2w, kSideB, lines_at(send_line));
  n2w.set("counts.narrow_to_wide", 1).set("counts.narrow_to_wide.level", level);
  put_waits(n2w, {{TileCounter::ring_write, level, sent - 1, 1, 1}}, true);
  n2w.set("flush_level", std::max<uint64_t>(1, from.dims.size()));
  p.add(n2w);
  ++p.ring.a;
  sent += lines;
  counts.received_lines += lines;
  counts.received_words += words;
  counts.last_words = words - (lines - 1) * kLineWords;
}

}  // namespace edgetwin::edgetpu::compiler
