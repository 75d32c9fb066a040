#include <algorithm>

#include "targets/edgetpu/compile/templates/layer_parts.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kChunkWords = 64;   // that go out and return together
constexpr int64_t kScalarRoom = 128;  // words of the scalar core's buffer

Assembly depthwise_variant(const LayerSpec& s, int r, int c, bool extra, bool fuse) {
  const Tiling& t = s.tiling;
  const int64_t w = s.out->x.own(c), h = s.out->y.own(r);
  const Place at = place_of(s, r, c);
  const int64_t positions = w * h;
  TensorSpec spec;
  Dims in;
  if (extra) in.push_back({4, 1});
  const Dims taps =
      fused({{s.x.dilation * at.pixel, s.x.kernel}, {s.y.dilation * at.row, s.y.kernel}});
  in.insert(in.end(), taps.begin(), taps.end());
  in.insert(in.end(), at.positions.begin(), at.positions.end());
  in.push_back({4, t.groups});
  spec.in = {.start = at.start, .dims = in};
  Dims out = {{4, 1}};
  const Dims outputs = fuse ? fused(at.outputs) : at.outputs;
  out.insert(out.end(), outputs.begin(), outputs.end());
  out.push_back({4, t.groups});
  spec.out = {.start = s.out->own(r, c), .dims = out};
  spec.avdata_level = static_cast<unsigned>(out.size() - 1);
  spec.loop = {t.taps};
  if (positions > 1) spec.loop.push_back(positions);
  spec.loop.push_back(t.groups);
  const auto level = static_cast<unsigned>(spec.loop.size() - 1);
  for (const int64_t n : spec.loop) spec.acc.dims.push_back({0, n});
  spec.weight = {.start = 4 * t.weight_line, .dims = spec.acc.dims};
  spec.weight.dims[0].stride = 4;
  spec.weight = spec.weight.switched(level, 4 * t.taps);
  spec.acc = spec.acc.switched(std::max(1U, level - 1), 4);
  spec.counts_parameters = true;
  spec.parameters_level = level;
  spec.kind = 0x38;
  spec.lanes = 4;
  spec.role = weighted(level, 0);
  spec.waits = {{TileCounter::ring_read_a, level, 1}};
  if (has_lines(s)) spec.waits.push_back({TileCounter::wide_to_scaling, level, 1});
  put_zero_lines(spec, s);
  return tensor(spec, s.numbers);
}

// As of convolutions: by the law, or in other words.
std::optional<Assembly> depthwise_tensor(const LayerSpec& s, int r, int c) {
  if (s.out->x.own(c) == 0 || s.out->y.own(r) == 0) return std::nullopt;
  std::vector<Assembly> all;
  for (const bool extra : {true, false}) {
    for (const bool fuse : {true, false}) all.push_back(depthwise_variant(s, r, c, extra, fuse));
  }
  return first_known(all);
}

void receive_depthwise(Program& p, const LayerSpec& s) {
  const Tiling& t = s.tiling;
  Assembly a = p.engine(Opcode::ring_receive, s.out->tiles());
  const Walk walk{.start = t.weight_line, .dims = {{1, t.taps}, {0, 1}, {0, t.groups}, {0, 1}}};
  put(a, kSideA, walk.switched(1, t.taps));
  put_header(a, s, 1);
  put_waits(a, {{TileCounter::parameters, 1, -1, 1, 1}}, true);
  p.add(a);
}

Walk chunk_walk(int64_t chunks, int64_t shorter) {
  Walk w{.dims = {{1, kChunkWords}, {0, chunks}}};
  w = w.switched(1, kChunkWords);
  return shorter == 0 ? w : w.shortened(shorter, 1, kChunkWords - shorter);
}

// The parameters go from the tile that keeps them to the scalar core and back to all tiles.
void returned(Program& p, const LayerSpec& s) {
  const Tiling& t = s.tiling;
  const int64_t words = t.groups * (t.taps + t.header) * 4;
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

}  // namespace

void depthwise(Program& p, const LayerSpec& s) {
  receive_depthwise(p, s);
  numbers_of_lines(p, s, TileCounter::ring_read_a, 1, 2);
  add_by_tiles(
      p, [&](int r, int c) { return depthwise_tensor(s, r, c); }, shapes(p, s));
  returned(p, s);
}

}  // namespace edgetwin::edgetpu::compiler
