#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kStreamLine = 64;  // bytes of the parameter stream
constexpr int64_t kWideBytes = 256;  // of a line of wide memory
constexpr int64_t kChunk = 1024;
constexpr int64_t kStreamRoom = 2047;
constexpr size_t kReceiveResident = 61, kReceiveItems = 318;
constexpr uint32_t kParameterTag = 2;
constexpr int64_t kTurnsBeforeReset = 12000;  // of a counter of 16 bits, with room for a step

}  // namespace

size_t Lowering::add_block(const ReferenceLayer& layer, BlockShape shape, float out_scale,
                           bool dense) {
  BlockContent content = layer.content;
  if (shape.has_scale) content.scales = layer.effective_scales(out_scale);
  if (shape.has_bias && content.bias.empty()) {
    content.bias.assign(static_cast<size_t>(shape.out), 0);
  }
  Block b;
  b.bytes = write_block(shape, content);
  b.dense = dense;
  b.items = shape.items();
  b.slots = shape.kind == BlockKind::depthwise ? 64 : shape.slots();
  b.bytes_per_line = 4 * b.slots;
  b.lines = shape.kind == BlockKind::depthwise
                ? ceil_div(shape.bytes(), kWideBytes)
                : shape.blocks() * shape.block_bytes() / b.bytes_per_line;
  if (dense) {
    // One piece for each block of 64 outputs.
    const int64_t lines = shape.padded_block_bytes() / b.bytes_per_line;
    for (int64_t k = 0; k < shape.blocks(); ++k) {
      b.pieces.push_back({static_cast<int>(k % kTiles), 0, lines});
    }
  }
  blocks_.push_back(std::move(b));
  return blocks_.size() - 1;
}

bool Lowering::place_parameters() {
  Residence residence(lowest_);
  const auto full = [&](int64_t bytes) {
    return refuse(Rule::parameter_room,
                  "parameters of " + std::to_string(bytes) + " bytes more do not fit the " +
                      std::to_string(residence.room()) + " lines of all tiles");
  };
  for (Block& b : blocks_) {
    if (!b.dense) continue;
    for (size_t first = 0; first < b.pieces.size(); first += kTiles) {
      const size_t end = std::min(b.pieces.size(), first + kTiles);
      const auto line = residence.same_line(static_cast<int64_t>(end - first), b.pieces[0].lines);
      if (!line && b.pieces[0].lines > lowest_) {
        return refuse(Rule::parameter_room, "its weights take " +
                                                std::to_string(b.pieces[0].lines) + " of the " +
                                                std::to_string(lowest_) + " lines of a tile");
      }
      if (!line) return full(static_cast<int64_t>(b.bytes.size()));
      for (size_t k = first; k < end; ++k) b.pieces[k].line = *line;
    }
  }
  for (Block& b : blocks_) {
    if (b.dense) continue;
    const bool whole = b.bytes_per_line % kStreamLine != 0;
    const auto pieces = residence.anywhere(b.lines, whole);
    if (!pieces) return full(static_cast<int64_t>(b.bytes.size()));
    b.pieces = *pieces;
  }
  resident_ = residence.used();
  return true;
}

void Lowering::make_caching(CompiledSegment& result) {
  for (const Block& b : blocks_) {
    result.parameters.insert(result.parameters.end(), b.bytes.begin(), b.bytes.end());
  }
  const auto lines = static_cast<int64_t>(result.parameters.size()) / kStreamLine;
  Program p;
  p.begin_parameters();
  p.descriptor(darwinn::BaseAddress::parameter, "", lines * kStreamLine, kParameterTag);
  Assembly infeed(Opcode::infeed);
  infeed.set("counts.pop", 1);
  put(infeed, kSideA, stream_walk(0, lines, kChunk));
  put_waits(infeed, {{ScalarCounter::parameter_infeed, 0, -std::min(kStreamRoom, lines - 1)}},
            false);
  p.add(infeed);
  int64_t block_begin = 0;
  for (const Block& b : blocks_) {
    int64_t place = block_begin;
    for (const Piece& piece : b.pieces) {
      const int64_t bytes = piece.lines * b.bytes_per_line;
      Assembly receive = p.engine(Opcode::ring_receive, 1U << piece.tile);
      const int64_t header = b.dense ? b.items : 0;
      put(receive, kSideA, {.start = piece.line + header, .dims = {{1, piece.lines - header}}});
      if (header != 0) {
        receive.set("header", 1).set("header.start", static_cast<uint64_t>(piece.line));
        receive.set("header.count", static_cast<uint64_t>(header - 1));
        receive.set("header.end", static_cast<uint64_t>(piece.line + header - 1));
        receive.set_bits(kReceiveItems, 2, static_cast<uint64_t>(header));
      }
      receive.set_bits(kReceiveResident, 1, 1);
      p.add(receive);
      Assembly param(Opcode::param);
      const int64_t first = place / kStreamLine;
      param.set("tiles", 1U << piece.tile).set("lanes", static_cast<uint64_t>(b.slots - 1));
      param.set("counts.infeed", 1).set_bits(kParamAlwaysBit, 1, 1);
      const int64_t rest = block_begin + static_cast<int64_t>(b.bytes.size()) - place;
      put(param, kSideA,
          stream_walk(first % (2 * kChunk), ceil_div(std::min(bytes, rest), kStreamLine), kChunk));
      put_waits(param, {{ScalarCounter::parameter_pop, 0, first + 1}}, false);
      p.add(param);
      place += bytes;
    }
    block_begin += static_cast<int64_t>(b.bytes.size());
  }
  p.end(true);
  result.caching = p.finish();
}

CompiledSegment Lowering::finish(bool plan_only) {
  CompiledSegment result;
  result.narrow_bytes = narrow_;
  result.resident_lines = resident_;
  result.resident_room = lowest_ * kTiles;
  result.ops = planned_;
  const auto tensor_of = [&](ValueId id) {
    const Store& s = store(id);
    return HostTensor{id, s.vector, s.map, s.bytes};
  };
  for (const ValueId id : segment_.inputs) result.inputs.push_back(tensor_of(id));
  for (const ValueId id : segment_.outputs) result.outputs.push_back(tensor_of(id));
  if (plan_only) return result;
  Program p;
  p.begin();
  for (size_t k = 0; k < steps_.size(); ++k) {
    result.op_at.emplace_back(p.bytes(), step_ops_[k]);
    p.barrier();
    if (std::max({p.ring.a, p.ring.b, p.ring.ring_outfeed, p.ring.scalar_in}) > kTurnsBeforeReset) {
      p.reset_ring();
    }
    steps_[k](p);
  }
  p.end(false);
  result.run = p.finish();
  if (!blocks_.empty()) make_caching(result);
  return result;
}

}  // namespace edgetwin::edgetpu::compiler
