// Constants that operators take as they take pictures and vectors: they rest in wide memory as
// parameters do, and each tile fetches its part of them.
#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// The bytes of a tile's part, pixel after pixel.
void put_part(const Value& v, const Map& m, int tile, std::span<std::byte> to) {
  const Bytes& all = *v.constant;
  const auto flip = static_cast<std::byte>(v.dtype == DType::int8 ? 0x80 : 0);
  const int r = tile / kGrid, c = tile % kGrid;
  size_t n = 0;
  for (int64_t y = 0; y < m.y.own(r); ++y) {
    for (int64_t x = 0; x < m.x.own(c); ++x, n += static_cast<size_t>(m.pixel())) {
      const int64_t position = (m.y.begin(r) + y) * m.x.size + m.x.begin(c) + x;
      for (int64_t k = 0; k < m.channels; ++k) {
        const auto at = all.size() == 1 ? 0 : static_cast<size_t>(position * m.channels + k);
        to[n + static_cast<size_t>(k)] = all[at] ^ flip;
      }
    }
  }
}

int64_t lines_of(const Map& m) {
  int64_t most = 0;
  for (int t = 0; t < kTiles; ++t) {
    most = std::max(most, m.y.own(t / kGrid) * m.x.own(t % kGrid) * m.pixel());
  }
  return ceil_div(most, kWideBytes);
}

}  // namespace

size_t Lowering::constant_block(const Value& v, const Map& m) {
  Block b;
  b.dense = true;  // as blocks of fully connected layers: one in each tile, at the same line
  b.lines = lines_of(m);
  b.size = kTiles * b.lines * kWideBytes;
  for (int t = 0; t < kTiles; ++t) b.pieces.push_back({t, 0, b.lines});
  if (!plan_only_) {
    b.bytes.resize(static_cast<size_t>(b.size));
    const auto part = static_cast<size_t>(b.lines * kWideBytes);
    for (int t = 0; t < kTiles; ++t) {
      put_part(v, m, t, std::span(b.bytes).subspan(static_cast<size_t>(t) * part, part));
    }
  }
  blocks_.push_back(std::move(b));
  return blocks_.size() - 1;
}

// Of the form of the other operand, or a vector of its channels; a part of a joint has its own.
Store Lowering::constant_form(const Op& op, ValueId id) {
  const Value& v = value(id);
  Store s;
  s.zero = s.edge = unsigned_zero(v);
  s.bytes = v.shape.elements();
  if (op.kind == OpKind::concatenation) {
    const auto picture = picture_of(v);
    s.vector = !picture;
    s.map = Map::vector(s.bytes);
    if (!picture) return s;
    s.map = {Axis(picture->rows), Axis(picture->columns), picture->channels};
    return s;
  }
  const Store& like = store(op.inputs[op.inputs[0] == id ? 1 : 0]);
  const int64_t elements =
      like.vector ? like.bytes : like.map.y.size * like.map.x.size * like.map.channels;
  if (s.bytes != 1 && s.bytes != elements) {
    s.vector = true;
    s.map = Map::vector(s.bytes);
    return s;
  }
  s.vector = like.vector;
  s.bytes = like.bytes;
  s.map = like.vector ? Map::vector(like.bytes) : like.map;
  return s;
}

// In the vendor's style a list of one row comes from the host at every inference, as a picture of
// that row does. Source: MoveNet. What does not fit that way rests, as in own style.
bool Lowering::list_given(ValueId id, Store& s) {
  const Value& v = value(id);
  const bool words = s.map.channels <= 4 || s.map.channels % 4 == 0;
  if (source_.style != Style::vendor || s.vector || s.map.y.size != 1 || !words ||
      s.bytes != v.shape.elements() || picture_reaches_over(s.map, source_.style) ||
      picture_lowest(s.map, source_.style) < 0) {
    return false;
  }
  Bytes bytes = *v.constant;
  const auto flip = static_cast<std::byte>(v.dtype == DType::int8 ? 0x80 : 0);
  for (std::byte& b : bytes) b ^= flip;
  take_picture(id, s, 0, {}, streamed_block(std::move(bytes), kBlockChannels));
  steps_.back().apart = true;
  return true;
}

void Lowering::bring_constants(size_t index) {
  const Op& op = graph().ops[index];
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    if (!takes_constant(graph(), op, k)) continue;
    Store& s = band_stores_.emplace_back(constant_form(op, op.inputs[k]));
    s.region = region(s.map.bytes());
    if (s.vector) s.whole = s.region;
    s.computed = s.vector;
    constants_[op.inputs[k]] = &s;
    if (list_given(op.inputs[k], s)) continue;
    const size_t block = constant_block(value(op.inputs[k]), s.map);
    wide_.keep_bytes(step());
    emit(
        [this, block, &s](Program& p) {
          constant(p, {&s.map, blocks_[block].pieces[0].line});
        },
        kWideTop);
  }
}

}  // namespace edgetwin::edgetpu::compiler
