// RESHAPE to lists of positions, and joins of these, as the vendor's compiler has them: by the
// mesh. docs/edgetpu-compiler.md, "Beside the vendor's programs".
#include <algorithm>

#include "targets/edgetpu/compile/layout/mesh_list.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

// Whether positions of the list are whole words of the picture's.
bool by_words(const Store& from, const Map& to) {
  const bool same = from.part != 0 ? from.part == to.channels
                                   : to.channels % 4 == 0 || from.map.channels == to.channels;
  return same && from.map.words() % to.words() == 0;
}

// Block k of a vector in tile k.
bool in_blocks(const Store& s) { return s.in_blocks() && s.bytes <= kTiles * kBlockChannels; }

bool can_list_of(const Store& from, const Store& to) {
  if (to.vector || to.map.bordered() || (to.map.y.size != 1 && to.map.x.size != 1)) return false;
  if (!from.vector && (from.map.bordered() || from.region < 0)) return false;
  MeshListSpec spec{&from.map, &to.map};
  spec.apart = from.apart;
  return by_words(from, to.map) && can_list(spec);
}

}  // namespace

// What one operator makes of each byte where only a RESHAPE to a list takes it.
bool Lowering::scaled_in_blocks(const Op& op, const Store& from, Store& to) {
  if (source_.style != Style::vendor || !segment_.mesh_lists) return false;
  if (!in_blocks(from) || from.apart) return false;
  const ValueId result = op.outputs[0];
  if (!only_maker(result)) return false;
  const auto takes = [&](size_t k) { return graph().ops[k].inputs[0] == result; };
  const auto reader = std::ranges::find_if(segment_.ops, takes);
  if (reader == segment_.ops.end()) return false;
  const Op& reshape = graph().ops[*reader];
  if (!only_reshapes(reshape) || alias_.contains(reshape.outputs[0])) return false;
  Store placed = from;
  placed.apart = true;
  if (!can_list_of(placed, store(reshape.outputs[0]))) return false;
  // In the same place, which is as large as all of it.
  to.blocks = from.blocks, to.apart = true;
  Region& place = regions_[static_cast<size_t>(to.blocks)];
  place.bytes = std::max(place.bytes, ceil_div(to.bytes, 4) * 4);
  use(to.blocks);
  return true;
}

// False: it is done in another way.
bool Lowering::listed(size_t index, Store& from, Store& to) {
  if (source_.style != Style::vendor || !segment_.mesh_lists || !can_list_of(from, to))
    return false;
  if (from.vector && !in_blocks(from)) return false;
  const int source = from.vector ? from.blocks : from.region;
  use(source);
  to.region = region(to.map.bytes());
  planned_.push_back({index, "positions in order", to.map.bytes(), 0});
  MeshListSpec spec{&from.map, &to.map};
  const int whole = region(mesh_list_bytes(spec)), passing = region(kPassingBytes);
  const bool leaves = has(segment_.outputs, graph().ops[index].outputs[0]);
  const int constants = wide_.has_matrix() ? whole : scratch(kMatrixWords);
  keep_matrix();
  emit(
      [this, &from, &to, source, whole, passing, constants, leaves](Program& p) {
        Map map = from.map;
        map.base = at(source);
        MeshListSpec s{&map, &to.map, from.apart, at(whole), at(passing), at(constants)};
        s.matrix = p.matrix_line(), s.counted = source_.counts_moves, s.leaves = leaves;
        mesh_list(p, s);
      },
      kWideTop, Follows::anew);
  steps_.back().apart = true;
  border(to);
  return true;
}

// Lists in one row or one column; false: it is done in another way.
bool Lowering::joined_by_mesh(const Op& op, Store& to, bool columns) {
  if (source_.style != Style::vendor || to.map.bordered()) return false;
  if ((columns ? to.map.y.size : to.map.x.size) != 1) return false;
  int64_t offset = 0;
  for (const ValueId id : op.inputs) {
    const Store& from = store(id);
    if (from.vector || from.joined || from.map.bordered()) return false;
    const MeshSpec spec{&from.map, &to.map, !columns, offset, 0};
    if (!compiler::can_mesh(spec)) return false;
    offset += columns ? from.map.x.size : from.map.y.size;
  }
  std::vector<Moved> moved;
  offset = 0;
  for (const ValueId id : op.inputs) {
    Store& from = with_numbers_of(op, id);
    moved.push_back({&from, &to, !columns, offset, 0});
    offset += columns ? from.map.x.size : from.map.y.size;
  }
  keep_matrix();
  for (const Moved& m : moved) use(m.from->region), use(m.to->region);
  emit(
      [this, all = std::move(moved), passing = region(kPassingBytes)](Program& p) {
        p.epoch();
        for (const Moved& m : all) {
          MeshSpec s{&m.from->map, &m.to->map, m.rows, m.from_at, m.to_at, at(passing)};
          s.first = true, s.scratch = at(passing), s.matrix = p.matrix_line();
          s.counted = source_.counts_moves;
          mesh(p, s);
        }
        p.epoch();
      },
      kWideTop, Follows::anew);
  steps_.back().apart = true;
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
