#include "targets/edgetpu/compile/templates/layer_parts.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr unsigned kHeaderItemsBit = 318;  // of ring receivers with a header: its items; sync.md 9
constexpr int64_t kChunkWords = 64;        // that go out and return together
constexpr int64_t kScalarRoom = 128;       // words of the scalar core's buffer

Walk chunk_walk(int64_t chunks, int64_t shorter) {
  Walk w{.dims = {{1, kChunkWords}, {0, chunks}}};
  w = w.switched(1, kChunkWords);
  return shorter == 0 ? w : w.shortened(shorter, 1, kChunkWords - shorter);
}

}  // namespace

Place place_of(const LayerSpec& s, int r, int c, bool keep) {
  const int64_t w = s.out->x.own(c), h = s.out->y.own(r);
  Place at;
  at.pixel = s.in->pixel();
  if (s.whole) {
    at.row = s.whole_columns * at.pixel;
    at.start = s.whole_base + s.y.stride * part_begin(s.y.outputs, r) * at.row +
               s.x.stride * part_begin(s.x.outputs, c) * at.pixel;
  } else {
    at.row = s.in->row(c);
    at.start = s.in->base + s.in->y.offset(r, s.y) * at.row + s.in->x.offset(c, s.x) * at.pixel;
  }
  at.positions = {{s.x.stride * at.pixel, w}, {s.y.stride * at.row, h}};
  at.outputs = {{s.out->pixel(), w}, {s.out->row(c), h}};
  if (keep) return at;
  if (w == 1) {
    at.positions.erase(at.positions.begin());
    at.outputs.erase(at.outputs.begin());
  }
  if (at.positions.back().count == 1) {
    at.positions.pop_back();
    at.outputs.pop_back();
  }
  return at;
}

std::function<int(int r, int c)> shapes(const Program& p, const LayerSpec& s) {
  if (!p.vendor()) return {};
  return
      [&s](int r, int c) { return (s.out->x.own(c) > 1 ? 1 : 0) + (s.out->y.own(r) > 1 ? 2 : 0); };
}

void put_header(Assembly& a, const LayerSpec& s, unsigned level) {
  const Tiling& t = s.tiling;
  a.set("counts.ring_read", 1).set("counts.ring_read.level", 1);
  if (t.header == 0) return;
  a.set("header", 1).set("header.level", level);
  a.set("header.start", static_cast<uint64_t>(t.header_line));
  a.set("header.count", static_cast<uint64_t>(t.header - 1));
  a.set("header.end", static_cast<uint64_t>(t.header_line + t.header * t.buffers() - 1));
  a.set_bits(kHeaderItemsBit, 2, static_cast<uint64_t>(t.header));
}

// In the vendor's style one buffer has the distance of two.
void put_zero_lines(TensorSpec& spec, const LayerSpec& s) {
  if (!s.numbers.has_zero) return;
  const Tiling& t = s.tiling;
  spec.zero_line = t.header_line + number_lines(s);
  spec.zero_by = t.two ? t.header : t.one_sum ? 1 : 0;
  spec.zero_end = t.header_line + t.header * t.buffers() - 1;
}

void numbers_of_lines(Program& p, const LayerSpec& s, TileCounter read, int64_t per_header,
                      unsigned level) {
  const int64_t lines = number_lines(s);
  if (lines == 0) return;
  const Tiling& t = s.tiling;
  Assembly a = p.engine(Opcode::wide_to_narrow, s.out->tiles());
  Walk from{.start = t.header_line, .dims = {{1, lines}, {0, t.groups}, {0, 1}, {0, 1}}};
  put(a, kSideA, from.switched(t.two ? 1 : 0, t.two ? t.header : 0));
  const int64_t slots = t.depthwise ? 4 : s.slots;
  const Walk to{.start = s.numbers.has_scale ? 0 : 64,
                .dims = {{1, slots / 2}, {64, lines}, {0, t.groups}}};
  put(a, kSideB, to.switched(level, 32));
  a.set("counts.wide_to_narrow", 1).set("counts.wide_to_narrow.level", 2);
  a.set("numbers", 1).set("flush_level", 1);
  put_waits(a, {{read, 1, 1, per_header}, {TileCounter::avdata, level, -1, 1, 1}}, true);
  p.add(a);
}

void returned(Program& p, const LayerSpec& s) {
  const Tiling& t = s.tiling;
  const int64_t words = t.groups * t.block_lines() * 4;
  const int64_t lines = (words + kChunkWords - 1) / kChunkWords;
  Assembly param(Opcode::param);
  param.set("tiles", s.out->tiles()).set("kind", 2).set("lanes", 3);
  put(param, kSideA, chunk_walk(lines, words % kChunkWords));
  param.set("counts.producer", 1).set("counts.producer.level", 1).set("counts.infeed", 1);
  put_waits(param, {{ScalarCounter::ring_outfeed, 0, 1 + p.ring.ring_outfeed}}, false);
  param.set_bits(kParamAlwaysBit, 1, 1);
  p.add(param);
  Assembly outfeed(Opcode::outfeed);
  put(outfeed, kSideA, chunk_walk(lines, 0));
  outfeed.set("stream", 1);
  put_waits(outfeed, {{ScalarCounter::scalar_infeed, 0, p.ring.scalar_in - (kScalarRoom - 1)}},
            false);
  outfeed.set_bits(kOutfeedAlwaysBits, 6, 0x3F);
  p.add(outfeed);
  int64_t sent_a = p.ring.a - 1;
  for (const Piece& piece : s.pieces) {
    Assembly send = p.engine(Opcode::ring_send, 1U << piece.tile);
    put(send, kSideA, {.start = piece.line, .dims = {{1, 1}, {1, piece.lines}}});
    send.set("counts.ring_producer", 1).set("counts.ring_producer.level", 1);
    send.set("second", 1).set("outfeed", 1);
    put_waits(
        send,
        {{TileCounter::ring_producer_a, 1, sent_a}, {TileCounter::ring_producer_b, 1, p.ring.b}},
        true);
    p.add(send);
    sent_a += piece.lines;
    p.ring.b += piece.lines;
  }
  p.ring.a += lines;
  p.ring.ring_outfeed += lines * kChunkWords;
  p.ring.scalar_in += words;
}

}  // namespace edgetwin::edgetpu::compiler
