#include <algorithm>
#include <limits>

#include "targets/edgetpu/compile/plan/lowering.h"
#include "targets/edgetpu/isa/nest.h"

namespace edgetwin::edgetpu::compiler {
namespace {

constexpr int64_t kStreamLine = 64;  // bytes of the parameter stream
constexpr int64_t kChunk = 1024;
constexpr int64_t kStreamRoom = 2047;
constexpr uint32_t kParameterTag = 2;

}  // namespace

// To its places; `begin`: its first byte in the parameters. Of a fully connected layer all tiles
// are ready before the first of them gets its lines.
void Lowering::load_block(Program& p, const Block& b, int64_t begin) {
  const auto receive = [&](const Piece& piece) {
    Assembly a = p.engine(Opcode::ring_receive, 1U << piece.tile);
    const int64_t header = b.dense ? b.items : 0;
    Walk to{.start = piece.line + header, .dims = {{1, piece.lines - header}}};
    if (header == 0 && piece.lines == 1) to.levels = 0;
    put(a, kSideA, to);
    if (header != 0) {
      a.set("header", 1).set("header.start", static_cast<uint64_t>(piece.line));
      a.set("header.count", static_cast<uint64_t>(header - 1));
      a.set("header.end", static_cast<uint64_t>(piece.line + header - 1));
      a.set("header.items", static_cast<uint64_t>(header));
    }
    p.add(a.set("resident", 1));
  };
  if (b.dense) std::ranges::for_each(b.pieces, receive);
  int64_t place = begin;
  for (const Piece& piece : b.pieces) {
    if (!b.dense) receive(piece);
    const int64_t bytes = piece.lines * b.bytes_per_line;
    Assembly param(Opcode::param);
    const int64_t first = place / kStreamLine;
    param.set("tiles", 1U << piece.tile).set("lanes", static_cast<uint64_t>(b.slots - 1));
    param.set("counts.infeed", 1).set_bits(kParamAlwaysBit, 1, 1);
    const int64_t rest = begin + b.size - place;
    put(param, kSideA,
        stream_walk(first % (2 * kChunk), ceil_div(std::min(bytes, rest), kStreamLine), kChunk));
    put_waits(param, {{ScalarCounter::parameter_pop, 0, first + 1}}, false);
    p.add(param);
    place += bytes;
  }
}

void Lowering::make_caching(CompiledSegment& result) {
  for (const Block& b : blocks_) {
    if (b.streamed) continue;
    result.parameters.insert(result.parameters.end(), b.bytes.begin(), b.bytes.end());
  }
  if (result.parameters.empty()) return;
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
  int64_t begin = 0;
  for (const Block& b : blocks_) {
    if (b.streamed) continue;
    load_block(p, b, begin);
    begin += b.size;
  }
  p.end(true);
  result.caching = p.finish();
}

// The operator of each step, counted from the first.
std::vector<int64_t> Lowering::turns() const {
  std::vector<int64_t> turn;
  for (size_t k = 0; k < step_ops_.size(); ++k) {
    const bool next =
        k != 0 && (step_ops_[k] != step_ops_[k - 1] || steps_[k].apart || steps_[k - 1].apart);
    turn.push_back(k == 0 ? 0 : turn.back() + (next ? 1 : 0));
  }
  return turn;
}

// In the vendor's style as it does: by levels, where these do not fit each in the best gap.
void Lowering::place_narrow() {
  // Single layers have theirs by size: so all public ones.
  const auto weighted = std::ranges::count_if(segment_.ops, [&](size_t k) {
    return graph().ops[k].kind == OpKind::conv_2d ||
           graph().ops[k].kind == OpKind::depthwise_conv_2d;
  });
  if (source_.style == Style::vendor && weighted > 1) {
    narrow_ = place_by_levels(regions_, turns(), std::numeric_limits<int64_t>::max());
    if (narrow_ > kNarrowBytes) narrow_ = place_best_fit(regions_, turns(), kNarrowBytes);
    if (narrow_ <= kNarrowBytes) return;
  }
  // There buffers for rows lie after all tensors.
  for (Region& r : regions_) r.aside = r.aside || (r.rows && source_.style == Style::vendor);
  narrow_ = place_regions(regions_, kNarrowBytes,
                          source_.style == Style::own ? Aim::lowest : Aim::within);
}

// Buffers of layers and what wide memory keeps beside them.
bool Lowering::place_lines() {
  if (source_.style != Style::vendor) return true;
  lowest_ = std::min(lowest_, kWideTop - wide_.place(turns()) - deep_lines_);
  for (const auto& [which, spec] : tiled_) {
    spec->tiling.shift(wide_.line(which) - spec->tiling.lowest_line);
  }
  return lowest_ >= 0 || refuse(Rule::wide_memory, "buffers do not fit beside what is kept");
}

// Of all regions in use at each step.
std::vector<int64_t> Lowering::live_bytes() const {
  std::vector<int64_t> bytes = bytes_in_use(regions_);
  bytes.resize(steps_.size(), 0);
  return bytes;
}

size_t Lowering::fullest_step() const {
  const std::vector<int64_t> live = live_bytes();
  return static_cast<size_t>(std::ranges::max_element(live) - live.begin());
}

void Lowering::note_live_bytes() {
  const std::vector<int64_t> live = live_bytes();
  std::map<size_t, int64_t> most;  // by operator
  for (size_t k = 0; k < steps_.size(); ++k) {
    int64_t& bytes = most[step_ops_[k]];
    bytes = std::max(bytes, live[k]);
  }
  for (PlannedOp& p : planned_) p.live_bytes = std::max(p.live_bytes, most[p.op]);
}

// Steps in their order. An output leaves while the next convolution is computed that nothing
// follows at once, by lines that this one has not.
std::vector<std::vector<size_t>> Lowering::together() const {
  std::vector<size_t> with(steps_.size(), 0);  // the output beside a step
  std::set<size_t> moved;
  const bool room = source_.style == Style::own && room_line() + 2 <= lowest_line();
  const auto hides = [&](size_t k) {
    return steps_[k].hides && !blocks_[steps_[k].block].streamed &&
           (steps_[k + 1].follows == Follows::barrier || steps_[k + 1].follows == Follows::tile);
  };
  size_t next = 0;
  for (size_t n = 0; room && n < steps_.size(); ++n) {
    if (steps_[n].part) next = n + 1;                       // outputs keep their order
    if (steps_[n].ready < 0 && steps_[n].turn >= 0) break;  // a vector, before those after it
    if (steps_[n].ready < 0) continue;
    size_t k = std::max(next, static_cast<size_t>(steps_[n].ready));
    while (k < n && !hides(k)) ++k;
    if (k >= n) break;  // those after it keep their order
    with[k] = n;
    moved.insert(n);
    next = k + 1;
  }
  std::vector<std::vector<size_t>> all;
  for (size_t k = 0; k < steps_.size(); ++k) {
    if (moved.contains(k)) continue;
    all.push_back({k});
    if (with[k] != 0) all.back().push_back(with[k]);
  }
  return all;
}

// `output`: one leaves while the step before is done.
void Lowering::part_from_before(Program& p, Follows how, bool output) {
  if (how == Follows::layer || (how == Follows::epoch && p.vendor() && p.after_epoch())) return;
  if (how == Follows::anew) return p.epoch();
  const bool own = how == Follows::epoch || (how == Follows::tile && !output);
  if (own && !p.vendor()) {
    p.epoch();
  } else {
    p.barrier();
  }
}

CompiledSegment Lowering::finish() {
  CompiledSegment result;
  note_live_bytes();
  result.narrow_bytes = narrow_;
  result.resident_lines = resident_;
  result.resident_room = (resident_top() + kept_lines_) * kTiles;
  result.occupied = occupied_;
  result.ops = planned_;
  for (const Block& b : blocks_) {
    if (b.streamed) result.streamed_bytes += b.size;
  }
  const auto tensor_of = [&](ValueId id, bool given) {
    const Store& s = store(id);
    return HostTensor{id, s.vector || (given && s.linear), s.map, s.bytes};
  };
  for (const ValueId id : segment_.inputs) result.inputs.push_back(tensor_of(id, true));
  if (!sent_.empty()) result.inputs.front().parts = sent_;
  for (const ValueId id : segment_.outputs) {
    result.outputs.push_back(tensor_of(id, false));
    HostTensor& made = result.outputs.back();
    made.turn = static_cast<size_t>(std::ranges::find(left_, id) - left_.begin());
    const bool by_memory = source_.style == Style::vendor && !made.vector;
    if (by_memory && leaves_by_memory(made.map)) made.parts = memory_pieces(made.map);
  }
  for (const LeftList& list : lists_.all) {
    const auto to = std::ranges::find(result.outputs, list.output, &HostTensor::value);
    to->list = list.parts;
  }
  for (HostTensor& made : result.outputs) {
    if (const auto rows = left_rows_.find(made.value); rows != left_rows_.end()) {
      made.rows = rows->second;
    }
  }
  result.host_rows = host_rows_;
  result.scratch = scratch_;
  result.scratch_bytes = scratch_bytes_;
  for (const StateOutput& s : state_outputs_) {
    const size_t turn = left_.size() + result.outputs.size();
    result.outputs.push_back({s.value, true, Map::vector(s.bytes), s.bytes, true, turn});
  }
  if (plan_only_) return result;
  result.streamed_before.assign(left_.size(), result.streamed_bytes);
  size_t turns = 0;  // outputs so far, some of which leave earlier than they were planned
  const auto note = [&](const Program& p, size_t step) {
    const int turn = steps_[step].turn, sent = steps_[step].sent, scratch = steps_[step].scratch;
    if (scratch >= 0) {
      ScratchTransfer& transfer = result.scratch.at(static_cast<size_t>(scratch));
      transfer.turn = turns;
      transfer.streamed_before = p.streamed_bytes();
    }
    if (sent >= 0) {
      HostRows& rows = result.host_rows.at(static_cast<size_t>(sent));
      rows.turn = turns;
      rows.streamed_before = p.streamed_bytes();
    }
    if (turn < 0) return;
    result.streamed_before.at(static_cast<size_t>(turn)) = p.streamed_bytes();
    turns = static_cast<size_t>(turn) + 1;
  };
  Program p(source_.style);
  p.set_kept(parked_line() + parked_lines_, kept_lines_);
  p.set_room(room_line() + kept_lines_);
  p.begin();
  bool after_output = false, left = false;
  for (const std::vector<size_t>& all : together()) {
    const PlannedStep& first = steps_[all.front()];
    if (std::exchange(left, first.leaves)) p.epoch(), p.reset_ring();
    result.op_at.emplace_back(p.bytes(), step_ops_[all.front()]);
    part_from_before(p, first.follows, after_output);
    after_output = all.size() > 1 || first.part;
    if (p.many_turns()) p.reset_ring();
    const bool anew = first.anew && p.vendor();
    if (anew && !p.after_epoch()) p.epoch();
    p.set_matrix_line(wide_.matrix_line(static_cast<int64_t>(all.front())));
    p.set_lowered(first.lines < 0 ? 0 : wide_.lowered(static_cast<size_t>(first.lines)));
    note(p, all.front());
    first.emit(p);
    // With the border of what it made.
    const size_t next = all.front() + 1;
    const bool bordered = next < steps_.size() && steps_[next].follows == Follows::layer;
    const bool after = all.front() > 0 && p.vendor() && steps_[all.front() - 1].anew &&
                       !steps_[all.front() - 1].apart && first.border;
    if ((anew && !bordered) || after) p.epoch();
    if (all.size() == 1) continue;
    p.set_output_line(p.room());
    note(p, all.back());
    steps_[all.back()].emit(p);
    p.set_output_line(kOutputLowest);
  }
  p.end(false);
  result.run = p.finish();
  for (const Block& b : blocks_) {
    if (b.streamed) result.streamed.insert(result.streamed.end(), b.bytes.begin(), b.bytes.end());
  }
  make_caching(result);
  return result;
}

}  // namespace edgetwin::edgetpu::compiler
