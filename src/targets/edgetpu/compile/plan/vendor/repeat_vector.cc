// TILE of a vector that a fully connected layer makes, as the vendor's compiler has it: QUANTIZE
// after it comes before it, and the mesh brings copies to their places, in a joined tensor, too.
// Found on DeepLab slim.
#include <algorithm>

#include "targets/edgetpu/compile/layout/branches.h"
#include "targets/edgetpu/compile/layout/repeat_vector.h"
#include "targets/edgetpu/compile/plan/lowering.h"

namespace edgetwin::edgetpu::compiler {

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
  Store& from = store(op.inputs[0]);
  Store& part = store(result);
  const auto joins = joined_parts(graph(), segment_.ops);
  const auto join = std::ranges::find(joins, result, &JoinedPart::part);
  const bool joined = join != joins.end();
  Store& to = store(joined ? join->whole : result);
  if (source_.style != Style::vendor || !from.vector || from.blocks < 0 || from.whole >= 0 ||
      from.first_tile != 0 || from.before_blocks != 0 || from.bytes % 4 != 0 || part.vector ||
      from.bytes != part.map.channels || to.map.y.size < kGrid || to.map.x.size < kGrid) {
    return false;
  }
  Store& column = band_stores_.emplace_back();
  column.map = map_of(to.map.y.size, 1, from.bytes);
  RepeatVectorSpec spec;
  spec.words = from.bytes / 4;
  spec.column = &column.map, spec.out = &to.map;
  spec.out_offset = joined ? join->first_channel : 0;
  if (!can_repeat_vector(spec)) {
    band_stores_.pop_back();
    return false;
  }
  const Value &in = value(op.inputs[0]), &out = value(result);
  Numbers numbers = copy_numbers();
  if (scaled) {
    numbers = {};
    numbers.multiplier = in.quant.scale_of(0) * (1.0F / out.quant.scale_of(0));
    numbers.input_zero = from.zero;
    put_limits(numbers, out, Activation::none);
    repeated_.insert(*next);
  }
  if (joined) part.whole_of = join->whole, part.first_channel = join->first_channel;
  // It has room for all blocks, each of which gets its place.
  int64_t& bytes = regions_[static_cast<size_t>(from.blocks)].bytes;
  bytes = std::max(bytes, from.bytes);
  planned_.push_back({index, "repetition of one position", to.map.bytes(), 0});
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
  column.region = region(column.map.bytes());
  use(from.blocks);
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
  if (!joined) border(to);
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
