#include <algorithm>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
int Lowering::region(int64_t bytes) {
  regions_.push_back({ceil_div(bytes, 4) * 4, step(), step(), 0});
  return static_cast<int>(regions_.size() - 1);
}

// In the vendor's style what only one step needs lies after all tensors.
int Lowering::aside(int64_t bytes) {
  const int made = region(bytes);
  regions_.back().aside = source_.style == Style::vendor;
  return made;
}

// A place for constants that the step at hand fills and takes to wide memory.
int Lowering::scratch(int64_t words) { return aside(4 * words); }

// `lowest`: of the lines that its template has; the highest there are: it has none, or its own.
void Lowering::emit(Emit e, int64_t lowest, Follows follows) {
  const bool own = source_.style == Style::own;
  int lines = -1;
  if (!own && lowest == kConstantLine) {
    keep_matrix();  // words and bytes are copied by it alone
  } else if (!own && lowest == kTransferLowest) {
    lines = static_cast<int>(wide(kTransferLines));
  } else if (!own && lowest == kOutputLowest) {
    lines = static_cast<int>(wide(kWideTop - lowest));
  } else if (!own && lowest < kWideTop) {
    wide_.add_fixed(lowest, kWideTop, step());
  }
  if (own) lowest_ = std::min(lowest_, lowest);
  steps_.push_back({std::move(e), follows});
  steps_.back().lines = lines;
  step_ops_.push_back(now_);
}

void Lowering::emit_at(size_t lines, Emit e, Follows follows) {
  emit(std::move(e), kWideTop, follows);
  steps_.back().lines = static_cast<int>(lines);
}

bool Lowering::refuse(Rule rule, std::string message, bool at_edge) {
  if (!refusal_) refusal_ = Refusal{rule, now_, std::move(message), at_edge};
  return false;
}

bool Lowering::not_a_picture(const std::string& what) {
  return refuse(Rule::shape, what + " is not a picture");
}

int Lowering::gathered(const Store& s, const GatherSpec& how) {
  use(s.region);
  const int64_t bytes = how.rows * how.columns * s.map.pixel();
  const int to = how.rows * how.columns == 1 ? region(bytes) : aside(bytes);
  emit(
      [this, &s, how, to](Program& p) {
        GatherSpec spec = how;
        spec.map = &s.map;
        spec.base = at(to);
        if (spec.zero < 0) spec.zero = s.zero;
        gather(p, spec);
      },
      kTransferLowest);
  steps_.back().anew = how.rows * how.columns == 1;
  return to;
}

int Lowering::whole_vector(Store& s, uint32_t tiles) {
  if (s.whole >= 0) {
    use(s.whole);
    return s.whole;
  }
  if (!s.vector) {
    const uint32_t wanted = source_.style == Style::vendor ? tiles : kAllTiles;
    s.whole = gathered(s, {.rows = s.map.y.size, .columns = s.map.x.size, .tiles = wanted});
    use(s.whole);
    return s.whole;
  }
  const int parts = s.spread >= 0 ? s.spread : s.blocks;
  use(parts);
  s.whole = region(ceil_div(s.bytes, 4) * 4);
  if (s.spread >= 0) {
    emit([this, tiles, words = ceil_div(s.bytes, 4), parts,
          to = s.whole](Program& p) { join_spread(p, words, at(parts), at(to), tiles); },
         kTransferLowest);
    use(s.whole);
    return s.whole;
  }
  emit([this, tiles, bytes = s.bytes, before = s.before_blocks, from = s.blocks, to = s.whole,
        first = s.first_tile](
           Program& p) { broadcast(p, bytes, at(from) + before, at(to), tiles, first); },
       kTransferLowest);
  use(s.whole);
  return s.whole;
}

bool Lowering::op(size_t index) {
  now_ = index;
  const Op& op = graph().ops[index];
  if (alias_.contains(op.outputs[0]) || lists_.ops.contains(index) || repeated_.contains(index))
    return true;
  if (only_reshapes(op)) return reshaped(index);
  bring_back(op);
  bring_constants(index);
  const bool good = by_kind(index);
  constants_.clear();
  return good;
}

bool Lowering::by_kind(size_t index) {
  const Op& op = graph().ops[index];
  switch (op.kind) {
    case OpKind::conv_2d:
    case OpKind::depthwise_conv_2d:
      return window_layer(index);
    case OpKind::fully_connected:
      if (!is_vector(value(op.outputs[0]))) return rows_layer(index);
      return dense_layer(index, nullptr);
    case OpKind::add:
    case OpKind::sub:
      if (is_number(value(op.inputs[1]))) return with_number(index);
      return sum(index);
    case OpKind::mul:
      return multiplied(index);
    case OpKind::average_pool_2d:
    case OpKind::max_pool_2d:
    case OpKind::mean:
    case OpKind::sum:
      return pooled(index);
    case OpKind::concatenation:
      return join(index);
    case OpKind::split:
    case OpKind::slice:
    case OpKind::strided_slice:
      return part(index);
    case OpKind::resize_bilinear:
    case OpKind::resize_nearest_neighbor:
      return resize(index);
    case OpKind::softmax:
      return softmax_layer(index);
    case OpKind::unidirectional_sequence_lstm:
      return recurrent_layer(index);
    case OpKind::transpose_conv:
      return transposed_convolution(index);
    case OpKind::pack:
      return packed(index);
    case OpKind::space_to_depth:
      return space_to_depth(index);
    case OpKind::depth_to_space:
      return depth_to_space(index);
    case OpKind::maximum:
    case OpKind::minimum:
      return extreme(index);
    case OpKind::pad:
      return padded(index);
    case OpKind::transpose:
      return transposed(index);
    case OpKind::tile:
      return repeated(index) || spread_layer(index);
    default:
      return scaled(index);
  }
}

// Those that operators of these places are the first ones to read.
bool Lowering::take_inputs(size_t first, size_t last) {
  for (const ValueId id : segment_.inputs) {
    const auto reader = std::ranges::find(segment_.ops, first_reader(id));
    const auto place = static_cast<size_t>(reader - segment_.ops.begin());
    if (place < first || place > last || taken_.contains(id)) continue;
    taken_.insert(id);
    const size_t step = steps_.size();
    now_ = segment_.ops[first];
    if (!input(id)) {
      if (refusal_->at_edge) refusal_->op = first_reader(id);
      return false;
    }
    // Inputs are of no operator.
    for (size_t k = step; k < steps_.size(); ++k) steps_[k].apart = !steps_[k].border;
  }
  return true;
}

std::variant<CompiledSegment, Refusal> Lowering::run(bool plan_only) {
  plan_only_ = plan_only;
  now_ = segment_.ops.front();
  name_stores();
  part_stores();
  border_stores();
  if (segment_.lists && !find_lists()) return Refusal{Rule::too_little, now_, "no list leaves"};
  if (segment_.pieces) find_pieces();
  const bool at_once = source_.style == Style::vendor;
  const size_t end = segment_.ops.size() - 1;
  bool good = (at_once && !segment_.inputs_first) || take_inputs(0, end);
  for (size_t k = 0; k < segment_.ops.size() && good; ++k) {
    const Banding* banding = banding_at(k);
    const size_t first = k;
    // Before an output leaves all inputs come.
    const size_t last = banding == nullptr ? k : banding->last;
    const bool leaves = std::ranges::any_of(graph().ops[segment_.ops[last]].outputs,
                                            [&](ValueId id) { return has(segment_.outputs, id); });
    good = !at_once || segment_.inputs_first || take_inputs(k, leaves ? end : last);
    if (!good) break;
    good = banding == nullptr ? op(segment_.ops[k])
           : banding->strips  ? strips(*banding)
                              : bands(*banding);
    if (banding != nullptr) k = banding->last;
    for (size_t n = first; n <= k && good; ++n) leave_parts(segment_.ops[n]);
    for (const ValueId id : graph().ops[segment_.ops[k]].outputs) ready_[id] = step();
    if (good && at_once) good = leave(segment_.ops[k]);
  }
  if (good) {
    for (const ValueId id : segment_.outputs) {
      if (!at_once) output(id);
    }
    for (const StateOutput& s : state_outputs_) state_output(s);
  }
  if (!refusal_ && steps_.empty()) refuse(Rule::too_little, "nothing is computed");
  if (refusal_) return *refusal_;
  // How much is too much is asked of a single plan only.
  const bool one_of_several = !bandings_.empty() && source_.style == Style::own;
  if (one_of_several && !may_fit(regions_, kNarrowBytes)) {
    refuse(Rule::narrow_memory, "it does not fit in parts");
    return *refusal_;
  }
  place_narrow();
  int64_t named = narrow_;
  for (const Region& r : regions_) named = std::max(named, r.base + r.bytes + r.reach);
  if (named > kNarrowBytes) {
    const size_t fullest = fullest_step();
    refuse(Rule::narrow_memory, "the tensors that are needed at one time take " +
                                    std::to_string(named) +
                                    " of 196608 bytes of a tile, most of them at operator #" +
                                    std::to_string(step_ops_[fullest]) + " " +
                                    op_type_name(graph().ops[step_ops_[fullest]]));
    return *refusal_;
  }
  if (unsent_) return *unsent_;
  if (!place_lines()) return *refusal_;
  for (const InLines& waiting : in_lines_) {
    const WaitingLines n = waiting_lines(waiting.how);
    parked_regions_.at(static_cast<size_t>(waiting.out)).bytes = n.out;
    parked_regions_.at(static_cast<size_t>(waiting.in)).bytes = n.in;
  }
  parked_lines_ = place_regions(parked_regions_, lowest_line());
  if (!place_parameters()) return *refusal_;
  for (auto& [id, s] : stores_) {
    const int place = s.vector ? s.whole : s.region;
    if (place >= 0) s.map.base = at(place);
  }
  for (Store& s : band_stores_) s.map.base = at(s.region) + s.offset;
  return finish();
}

}  // namespace edgetwin::edgetpu::compiler
