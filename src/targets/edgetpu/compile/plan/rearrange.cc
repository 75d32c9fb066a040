// Operators that only move bytes of pictures, also between tiles.
#include <algorithm>

#include "targets/edgetpu/compile/layout/branches.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
void Lowering::relocate_to(Store& from, Store& to, const RelocateSpec& how) {
  use(from.region), use(to.region);
  emit(
      [&from, &to, how](Program& p) {
        RelocateSpec spec = how;
        spec.from = &from.map, spec.to = &to.map;
        relocate(p, spec);
      },
      kTransferLowest);
  steps_.back().anew = true;
}

// Bytes of the same channels at another place of the pixels, in steps of four channels; with other
// numbers where these are given.
void Lowering::copy_channels(Store& from, Store& to, int64_t in_offset, int64_t out_offset,
                             const Numbers& numbers) {
  emit(
      [this, numbers, in_offset, out_offset, &from, &to, constants = scratch()](Program& p) {
        RescaleSpec s{&from.map, &to.map, out_offset, numbers, at(constants)};
        s.in_offset = in_offset;
        rescale(p, s);
      },
      kConstantLine, Follows::tile);
}

Numbers Lowering::same_of(const Store& from, const Value& result) const {
  Numbers n;
  n.multiplier = 1.0F;
  n.input_zero = from.zero;
  put_limits(n, result, Activation::none);
  return n;
}

// One result of SPLIT, SLICE or STRIDED_SLICE: rows and columns first, then channels.
bool Lowering::take_part(size_t index, Store& whole, ValueId result, const Cut& cut) {
  Store& to = store(result);
  const Shape& in = value(data_of(graph().ops[index])).shape;
  const bool channels = cut.of_channels(in) || !cut.of_positions(in);
  to.region = region(to.map.bytes());
  Store* from = &whole;
  if (cut.of_positions(in)) {
    if (channels) from = &between(map_of(cut.size[1], cut.size[2], in[3]), whole.zero);
    RelocateSpec how;
    how.from_y = cut.begin[1], how.from_x = cut.begin[2];
    how.step_y = cut.step[1], how.step_x = cut.step[2];
    relocate_to(whole, channels ? *from : to, how);
  }
  planned_.push_back({index, "part", to.map.bytes(), 0});
  if (channels) {
    const int64_t first = cut.begin[3], step = cut.step[3], end = first + cut.size[3];
    if (step == 1 && first % 4 == 0 && (end % 4 == 0 || end == in[3])) {
      use(from->region), use(to.region);
      copy_channels(*from, to, first, 0, same_of(*from, value(result)));
    } else {
      std::vector<int> of(static_cast<size_t>(cut.size[3]));
      for (size_t k = 0; k < of.size(); ++k) {
        of[k] = static_cast<int>(first + static_cast<int64_t>(k) * step);
      }
      if (!select(index, *from, to, of, value(result))) return false;
    }
  }
  border(to);
  return true;
}

bool Lowering::part(size_t index) {
  const Op& op = graph().ops[index];
  Store& from = store(data_of(op));
  const auto cuts = cuts_of(graph(), op);
  if (from.vector || !cuts) return not_a_picture();
  for (size_t k = 0; k < op.outputs.size(); ++k) {
    if (store(op.outputs[k]).vector) return not_a_picture("one of its parts");
    if (!take_part(index, from, op.outputs[k], (*cuts)[k])) return false;
  }
  return true;
}

// The axis of a join: 1 is that of channels.
int Lowering::axis_from_end(const Op& op) const {
  const int axis = op.as<ConcatAttrs>().axis;
  return axis < 0 ? -axis : value(op.outputs[0]).shape.rank() - axis;
}

// Parts go to their place, with the scale of the whole.
bool Lowering::join(size_t index) {
  const Op& op = graph().ops[index];
  Store& to = store(op.outputs[0]);
  const int from_end = axis_from_end(op);
  for (const ValueId id : op.inputs) {
    if (store(id).vector != to.vector) return not_a_picture("one of its parts");
  }
  place_result(to);
  planned_.push_back({index, "join", to.map.bytes(), 0});
  const bool good =
      from_end == 1 ? join_channels(index, to) : join_positions(index, to, from_end == 2);
  if (good) border(to);
  return good;
}

Numbers Lowering::numbers_of_part(ValueId part, const Value& whole, Activation activation) {
  const Value& in = value(part);
  Numbers n;
  const bool same = in.quant.scale_of(0) == whole.quant.scale_of(0);
  n.multiplier = same ? 1.0F : in.quant.scale_of(0) * (1.0F / whole.quant.scale_of(0));
  n.input_zero = store(part).zero;
  put_limits(n, whole, activation);
  return n;
}

bool Lowering::join_channels(size_t index, Store& to) {
  const Op& op = graph().ops[index];
  const Value& out = value(op.outputs[0]);
  bool by_words = true;
  int64_t room = 0;  // channels, if each part begins a word
  for (size_t k = 0; k < op.inputs.size(); ++k) {
    const int64_t channels = store(op.inputs[k]).map.channels;
    by_words = by_words && (k + 1 == op.inputs.size() || channels % 4 == 0);
    room += 4 * ceil_div(channels, 4);
  }
  Store* side = &to;
  if (!by_words) {
    Map map = to.vector ? Map::vector(room) : map_of(to.map.y.size, to.map.x.size, room);
    side = &between(map, to.zero);
  }
  std::vector<int> of;
  int64_t offset = 0;
  const bool here =
      std::ranges::any_of(op.inputs, [&](ValueId id) { return store(id).whole_of != kAbsent; });
  if (here) {
    // A step of its own all the same, and of copies that the matrix has made.
    const auto copied = [&](const JoinedPart& j) {
      return j.repeated && j.whole == op.outputs[0] && store(j.part).whole_of != kAbsent;
    };
    if (std::ranges::any_of(joined_parts(graph(), segment_.ops), copied)) keep_matrix();
    emit([](Program& p) { p.settle(), p.settle(); }, kWideTop, Follows::layer);
    steps_.back().anew = true;
  }
  for (const ValueId id : op.inputs) {
    Store& from = store(id);
    if (from.whole_of != kAbsent) {
      offset += from.map.channels;
      continue;
    }
    use_elements(from);
    use_place(*side);
    copy_channels(from, *side, 0, offset,
                  numbers_of_part(id, out, op.as<ConcatAttrs>().activation));
    for (int64_t k = 0; k < from.map.channels; ++k) of.push_back(static_cast<int>(offset + k));
    offset += by_words ? from.map.channels : 4 * ceil_div(from.map.channels, 4);
  }
  return by_words || select(index, *side, to, of, out);
}

// Lists of positions, which may lie in several rows: those of each part follow those of the one
// before.
bool Lowering::joins_lists(const Op& op, bool columns) {
  const Value& out = value(op.outputs[0]);
  if (out.shape.rank() != 3) return false;
  const auto folded = [&](ValueId id) { return store(id).map.y.size != value(id).shape[0]; };
  const bool parts = std::ranges::any_of(op.inputs, folded);
  if (!columns) return parts;
  return out.shape[0] == 1 && (parts || folded(op.outputs[0]));
}

// What a join takes, with the numbers of its result.
Store& Lowering::with_numbers_of(const Op& join, ValueId id) {
  Store& from = store(id);
  const Value& out = value(join.outputs[0]);
  const Activation activation = join.as<ConcatAttrs>().activation;
  if (same_numbers(value(id), out) && activation == Activation::none) return from;
  const Map& map = from.map;
  Store& scaled = between(map_of(map.y.size, map.x.size, map.channels), unsigned_zero(out));
  use(from.region), use(scaled.region);
  copy_channels(from, scaled, 0, 0, numbers_of_part(id, out, activation));
  return scaled;
}

bool Lowering::join_positions(size_t index, Store& to, bool columns) {
  const Op& op = graph().ops[index];
  const bool list = joins_lists(op, columns);
  if (joined_by_mesh(op, to, columns)) return true;
  int64_t offset = 0;
  for (const ValueId id : op.inputs) {
    Store* from = &store(id);
    const int64_t positions = from->map.y.size * from->map.x.size;
    if (from->joined) {
      offset += list ? positions : columns ? from->map.x.size : from->map.y.size;
      continue;
    }
    from = &with_numbers_of(op, id);
    if (list) {
      use(from->region), use(to.region);
      emit(
          [from, &to, offset](Program& p) {
            reorder(p, {&from->map, &to.map, offset, 1});
          },
          kTransferLowest);
      offset += positions;
      continue;
    }
    RelocateSpec how;
    (columns ? how.to_x : how.to_y) = offset;
    relocate_to(*from, to, how);
    offset += columns ? from->map.x.size : from->map.y.size;
  }
  return true;
}

// Real 0 around a picture that no window takes as its border.
bool Lowering::padded(size_t index) {
  const Op& op = graph().ops[index];
  const auto pads = pads_of(graph(), op);
  const Value& out = value(op.outputs[0]);
  Store* from = &store(op.inputs[0]);
  Store& to = store(op.outputs[0]);
  if (from->vector || to.vector || !pads) return not_a_picture();
  const auto& n = *pads;
  const bool positions = n[2] != 0 || n[3] != 0 || n[4] != 0 || n[5] != 0;
  const bool channels = n[6] != 0 || n[7] != 0 || !positions;
  to.region = region(to.map.bytes());
  planned_.push_back({index, "real 0 around it", to.map.bytes(), 0});
  if (positions) {
    Store* wide = &to;
    if (channels) {
      wide = &between(map_of(to.map.y.size, to.map.x.size, from->map.channels), from->zero);
    }
    use(wide->region);
    emit(
        [wide](Program& p) {
          fill(p, Opcode::move_up, kAllTiles,
               {.start = wide->map.base / 4, .dims = {{1, wide->map.bytes() / 4}}},
               static_cast<uint32_t>(wide->zero) * 0x01010101U);
        },
        kWideTop);
    RelocateSpec how;
    how.to_y = n[2], how.to_x = n[4];
    relocate_to(*from, *wide, how);
    from = wide;
  }
  if (channels) {
    std::vector<int> of(static_cast<size_t>(to.map.channels), -1);
    for (int64_t k = 0; k < from->map.channels; ++k) {
      of[static_cast<size_t>(n[6] + k)] = static_cast<int>(k);
    }
    if (!select(index, *from, to, of, out)) return false;
  }
  border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
