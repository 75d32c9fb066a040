// A pool over a picture that does not fit beside what gathers it, as the vendor's compiler has it:
// the picture goes to the scratch memory of the host, some of its channels after the others are
// gathered and summed, and it comes back for each of them, and for its next reader. Found on
// DeepLab slim; docs/edgetpu-compiler.md, "Beside the vendor's programs".
#include "targets/edgetpu/compile/layout/scratch_pool.h"
#include "targets/edgetpu/compile/layout/gather.h"
#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/compile/templates/host_scratch.h"

namespace edgetwin::edgetpu::compiler {

// Gives its place there.
int64_t Lowering::to_host(ValueId id, const Store& picture) {
  const int64_t offset = scratch_bytes_, bytes = map_output_bytes(picture.map);
  in_scratch_[id] = offset;
  scratch_bytes_ += bytes;
  use(picture.region);
  emit_at(wide(2), [&picture, offset](Program& p) { to_scratch(p, picture.map, offset); });
  steps_.back().anew = steps_.back().apart = true;
  steps_.back().scratch = static_cast<int>(scratch_.size());
  scratch_.push_back({false, offset, bytes});
  return offset;
}

Store& Lowering::from_host(const Store& picture, int64_t offset) {
  Store& made = band_stores_.emplace_back(picture);
  made.region = region(made.map.bytes());
  emit_at(wide(2), [&made, offset](Program& p) { from_scratch(p, made.map, offset); });
  steps_.back().anew = steps_.back().apart = true;
  steps_.back().scratch = static_cast<int>(scratch_.size());
  scratch_.push_back({true, offset, map_output_bytes(made.map)});
  return made;
}

// What an operator takes of the host's scratch memory.
void Lowering::bring_back(const Op& op) {
  for (const ValueId input : op.inputs) {
    if (input == kAbsent || value(input).is_constant()) continue;
    const ValueId id = root(input);
    const auto place = in_scratch_.find(id);
    if (place == in_scratch_.end() || returned_.contains(id)) continue;
    returned_[id] = &from_host(store(id), place->second);
  }
}

// The sums of what is gathered at `whole`, and all of them to each tile of the row; after the last
// piece to the tiles of the vector.
void Lowering::sum_piece(const PoolSpec& pool, const ChannelPieces& pieces, int64_t piece,
                         int vector, int whole, int ones) {
  use(vector), use(whole), use(ones);
  const size_t sums = wide(pool_lines(pool.rows, pool.columns)), turns = wide(kTransferLines);
  emit_at(sums, [this, pool, pieces, piece, vector, whole, ones, turns](Program& p) {
    PoolSpec s = pool;
    s.channels = 4 * pieces.size(piece);
    s.base = at(whole), s.scratch = at(ones);
    s.out = at(vector) + 4 * pieces.first(piece);
    whole_pool(p, s);
    p.barrier();
    p.set_lowered(wide_.lowered(turns));
    share_piece(p, pieces, piece, at(vector));
    p.epoch();
    p.reset_ring();
  });
  steps_.back().anew = true;
  if (piece + 1 < pieces.count()) return;
  use(vector);
  emit([this, pieces, vector, passing = aside(kPassingBytes)](
           Program& p) { spread_pieces(p, pieces, at(vector), at(passing)); },
       kWideTop);
  steps_.back().anew = true;
}

bool Lowering::pool_by_scratch(size_t index) {
  const Op& op = graph().ops[index];
  const Store& from = store(op.inputs[0]);
  const ChannelPieces pieces = *channel_pieces(from.map);
  PoolSpec spec = pool_spec(op, from);
  spec.blocks = true, spec.whole = from.map.pixel();
  planned_.push_back({index, "average over the picture, by the host's memory", from.bytes, 0});
  const int64_t offset = to_host(root(op.inputs[0]), from);
  int vector = -1;
  for (int64_t k = 0; k < pieces.count(); ++k) {
    const Store& there = k == 0 ? from : from_host(from, offset);
    use(there.region);
    Store& piece = between(map_of(from.map.y.size, from.map.x.size, 4 * pieces.size(k)), from.zero);
    keep_matrix();
    emit(
        [this, &there, &piece, first = pieces.first(k),
         constants = scratch(kMatrixWords)](Program& p) {
          if (!p.has_matrix()) unit_matrix(p, at(constants) / 4, p.matrix_line());
          take_words(p, {&there.map, &piece.map, first, p.matrix_line()});
        },
        kWideTop);
    steps_.back().anew = steps_.back().apart = true;
    use(piece.region);
    const int whole = region(gathered_bytes(piece.map));
    const int ones = gather_beside(piece, whole, 0);
    if (ones < 0) return refuse(Rule::form, "its pieces are not gathered in a known form");
    steps_.back().apart = true;
    if (vector < 0) vector = region(from.map.pixel());
    sum_piece(spec, pieces, k, vector, whole, ones);
  }
  store(op.outputs[0]).spread = vector;
  return true;
}

}  // namespace edgetwin::edgetpu::compiler
