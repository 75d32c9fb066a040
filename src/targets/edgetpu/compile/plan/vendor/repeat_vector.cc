// TILE of a vector that a fully connected layer makes, as the vendor's compiler has it: QUANTIZE
// after it comes before it, and the mesh brings copies to their places, in a joined tensor, too.
// Found on DeepLab slim.
#include <algorithm>

#include "targets/edgetpu/compile/layout/branches.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {
namespace {

Numbers numbers_between(const Value& in, const Value& out) {
  Numbers n;
  n.multiplier = in.quant.scale_of(0) * (1.0F / out.quant.scale_of(0));
  n.input_zero = unsigned_zero(in);
  put_limits(n, out, Activation::none);
  return n;
}

// Blocks of a fully connected layer, of which nothing is moved yet, for each position of `to`.
bool repeats_blocks(const Store& from, const Store& result, const Map& to) {
  const bool blocks = from.in_blocks() && from.whole < 0 && from.bytes % 4 == 0;
  return blocks && !result.vector && from.bytes == result.map.channels && to.y.size >= kGrid &&
         to.x.size >= kGrid;
}

}  // namespace

// False: in another way.
bool Lowering::repeated(size_t index) {
  const Op& op = graph().ops[index];
  // QUANTIZE that alone takes the result.
  const auto alone = [&](size_t k) {
    const Op& next = graph().ops[k];
    return next.kind == OpKind::quantize && next.inputs[0] == op.outputs[0] &&
           only_maker(op.outputs[0]) && !alias_.contains(next.outputs[0]);
  };
  const auto next = std::ranges::find_if(segment_.ops, alone);
  const bool scaled = next != segment_.ops.end();
  const ValueId result = graph().ops[scaled ? *next : index].outputs[0];
  const auto joins = joined_parts(graph(), segment_.ops);
  const auto join = std::ranges::find(joins, result, &JoinedPart::part);
  const bool joined = join != joins.end();
  Store &from = store(op.inputs[0]), &part = store(result);
  Store& to = store(joined ? join->whole : result);
  if (source_.style != Style::vendor || !only_maker(op.inputs[0]) ||
      !repeats_blocks(from, part, to.map)) {
    return false;
  }
  Store& column = between(map_of(to.map.y.size, 1, from.bytes), from.zero);
  RepeatVectorSpec spec;
  spec.words = from.bytes / 4;
  spec.column = &column.map, spec.out = &to.map;
  spec.out_offset = joined ? join->first_channel : 0;
  if (!can_repeat_vector(spec)) {
    regions_.pop_back(), band_stores_.pop_back();
    return false;
  }
  if (scaled) repeated_.insert(*next);
  if (joined) part.whole_of = join->whole, part.first_channel = join->first_channel;
  planned_.push_back({index, "repetition of one position", to.map.bytes(), 0});
  const Value& in = value(op.inputs[0]);
  repeat_blocks(spec, from, scaled ? numbers_between(in, value(result)) : copy_numbers(), column,
                to);
  if (!joined) border(to);
  return true;
}

// The vector has room for all blocks, each of which gets its place.
void Lowering::repeat_blocks(const RepeatVectorSpec& spec, const Store& from,
                             const Numbers& numbers, Store& column, Store& to) {
  int64_t& bytes = regions_[static_cast<size_t>(from.blocks)].bytes;
  bytes = std::max(bytes, from.bytes);
  const auto with = [this, spec, vector = from.blocks](Program& p, int passing) {
    RepeatVectorSpec s = spec;
    s.vector = at(vector), s.passing = at(passing), s.matrix = p.matrix_line();
    return s;
  };
  use(from.blocks);
  keep_matrix();
  emit(
      [this, words = spec.words, vector = from.blocks, numbers,
       constants = scratch(kMatrixWords)](Program& p) {
        if (!p.has_matrix()) unit_matrix(p, at(constants) / 4, p.matrix_line());
        scale_blocks(p, words, at(vector), at(vector), numbers, p.matrix_line());
      },
      kWideTop);
  steps_.back().anew = true;
  regions_[static_cast<size_t>(column.region)].first = step();
  use(column.region), use(from.blocks);
  keep_matrix();
  emit([with, passing = aside(kPassingBytes)](Program& p) { repeat_rows(p, with(p, passing)); },
       kTransferLowest);
  steps_.back().anew = steps_.back().apart = true;
  use(column.region);
  place_map(to);
  keep_matrix();
  emit([with, passing = aside(kPassingBytes)](Program& p) { repeat_columns(p, with(p, passing)); },
       kWideTop);
  steps_.back().anew = steps_.back().apart = true;
}

}  // namespace edgetwin::edgetpu::compiler
