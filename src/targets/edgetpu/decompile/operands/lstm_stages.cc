#include "targets/edgetpu/decompile/operands/lstm_stages.h"

#include <algorithm>
#include <set>

#include "formats/darwinn/variable_output.h"
#include "targets/edgetpu/decompile/stages/function_ranges.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kDeepest = 16;

// The stage that wrote most of what is read; -1: none.
int top_owner(const Votes& votes) {
  Owner best = kUnknown;
  int64_t most = 0;
  for (const auto& [owner, n] : votes) {
    if (owner < kFirstStage || n <= most) continue;
    most = n;
    best = owner;
  }
  return best < kFirstStage ? -1 : static_cast<int>(best - kFirstStage);
}

// The same, copies followed.
int owner_stage(const Replay& r, const Votes& votes, int depth = 0) {
  const int s = top_owner(votes);
  if (s < 0 || depth > kDeepest) return -1;
  const Stage& stage = r.stages[static_cast<size_t>(s)];
  if (stage.kind != StageKind::copy) return s;
  return stage.inputs.empty() ? -1 : owner_stage(r, stage.inputs[0], depth + 1);
}

class Finder {
 public:
  Finder(const Replay& r, const darwinn::Executable& e) : r_(r), executable_(e) {}

  std::optional<LstmStages> run() {
    const auto loop = find_loop(r_.steps);
    if (!loop) return std::nullopt;
    found_.first_step = loop->first;
    found_.last_step = loop->last;
    if (!find_states() || !find_stages() || !find_gates() || !name_gates()) return std::nullopt;
    return found_;
  }

 private:
  // Inputs with an output that takes them back: one of bytes, one of 16 bits.
  bool find_states() {
    int hidden = 0;
    int cell = 0;
    for (size_t i = 0; i < executable_.inputs.size(); ++i) {
      const darwinn::Layer& in = executable_.inputs[i];
      const bool state = std::any_of(
          executable_.outputs.begin(), executable_.outputs.end(),
          [&](const darwinn::Layer& out) { return out.name == darwinn::variable_output(in.name); });
      if (!state) continue;
      constexpr int kPairs = 2;
      const bool wide = in.size_bytes >= kPairs * in.z_dim;
      (wide ? found_.cell : found_.hidden) = i;
      ++(wide ? cell : hidden);
    }
    return hidden == 1 && cell == 1;
  }

  bool find_stages() {
    bool any = false;
    for (size_t s = 0; s < r_.stages.size(); ++s) {
      const auto& steps = r_.stages[s].steps;
      const bool inside = steps.front() >= found_.first_step && steps.back() <= found_.last_step;
      if (!inside) continue;
      if (!any) found_.first_stage = s;
      found_.last_stage = s;
      any = true;
    }
    return any;
  }

  bool find_gates() {
    for (size_t s = found_.first_stage; s <= found_.last_stage; ++s) {
      const Stage& sum = r_.stages[s];
      if (sum.kind != StageKind::add || !sum.nest.function || sum.inputs.size() != 2) continue;
      const int a = owner_stage(r_, sum.inputs[0]);
      const int b = owner_stage(r_, sum.inputs[1]);
      if (a < 0 || b < 0) return false;
      GateStages g{static_cast<size_t>(a), static_cast<size_t>(b), s, {}};
      if (reads_hidden(g.of_input)) std::swap(g.of_input, g.of_hidden);
      const Stage& x = r_.stages[g.of_input];
      const Stage& h = r_.stages[g.of_hidden];
      const bool weighted = x.kind == StageKind::conv && h.kind == StageKind::conv;
      if (!weighted || !x.nest.has_bias || !reads_hidden(g.of_hidden)) return false;
      for (const size_t step : sum.steps) {
        each_tile(r_.steps.nest(step).tiles, [&](size_t tile) { g.tiles.push_back(tile); });
      }
      gates_.push_back(g);
    }
    if (gates_.size() == 2) part_gates();
    return gates_.size() == kGates;
  }

  bool reads_hidden(size_t s) const {
    const auto& row = r_.stages[s].row;
    if (row.empty()) return !r_.stages[s].nest.has_bias;
    const int32_t from = r_.traces.nodes[static_cast<size_t>(row.front())].from;
    const auto request = static_cast<size_t>(-1 - from);
    return from < 0 && request < r_.requests.size() && r_.requests[request] == found_.hidden;
  }

  // Three gates have the same function and the same instruction; each has as many tiles as the
  // fourth one.
  void part_gates() {
    const GateStages& alone =
        gates_[0].tiles.size() < gates_[1].tiles.size() ? gates_[0] : gates_[1];
    const GateStages& shared = &alone == gates_.data() ? gates_[1] : gates_[0];
    const size_t each = alone.tiles.size();
    if (shared.tiles.size() != (kGates - 1) * each) return;
    std::vector<GateStages> parted{alone};
    for (size_t k = 0; k + 1 < kGates; ++k) {
      parted.push_back({shared.of_input, shared.of_hidden, shared.sum, {}});
      const auto first = shared.tiles.begin() + static_cast<long>(k * each);
      parted.back().tiles.assign(first, first + static_cast<long>(each));
    }
    gates_ = std::move(parted);
  }

  // Which gate's results stand in these words, one tile's after the other's; -1: no gate's.
  int gate_of_words(const std::vector<int32_t>& nodes) const {
    std::vector<size_t> tiles;
    std::set<size_t> stages;
    int32_t word = 0;
    for (const int32_t node : nodes) {
      if (node < 0) return -1;
      const TraceNode& n = r_.traces.nodes[static_cast<size_t>(node)];
      if (n.from < 0) return -1;
      const TracedPixel& pixel = r_.traces.pixels[static_cast<size_t>(n.from)];
      if (!pixel.in.empty() || pixel.left_by_loop) return -1;
      if (n.word == 0) tiles.push_back(pixel.tile);
      if (tiles.empty() || tiles.back() != pixel.tile || n.word != (n.word == 0 ? 0 : word + 1)) {
        return -1;
      }
      word = n.word;
      stages.insert(pixel.stage);
    }
    for (size_t k = 0; k < gates_.size() && stages.size() == 1; ++k) {
      if (gates_[k].sum == *stages.begin() && gates_[k].tiles == tiles) return static_cast<int>(k);
    }
    return -1;
  }

  // The gate whose results are read, copies followed.
  int gate_read(const std::vector<int32_t>& nodes, const Votes& votes) const {
    if (const int k = gate_of_words(nodes); k >= 0) return k;
    for (int owner = top_owner(votes), depth = 0; owner >= 0 && depth < kDeepest; ++depth) {
      const Stage& stage = r_.stages[static_cast<size_t>(owner)];
      const auto of_sum = [&](const GateStages& g) { return g.sum == static_cast<size_t>(owner); };
      if (std::count_if(gates_.begin(), gates_.end(), of_sum) == 1) {
        return static_cast<int>(std::find_if(gates_.begin(), gates_.end(), of_sum) -
                                gates_.begin());
      }
      if (stage.kind != StageKind::copy || stage.inputs.empty()) return -1;
      if (const int k = gate_of_words(stage.loop_row); k >= 0) return k;
      owner = top_owner(stage.inputs[0]);
    }
    return -1;
  }

  bool function_is(const GateStages& g, float range) const {
    const Nest& n = r_.stages[g.sum].nest;
    return near(n.upper, range) && near(n.lower, -range);
  }

  // The cell's gate has the other function; the input's gate is multiplied with it; the output's
  // makes the hidden state, with whose zero point it is multiplied last; one is left.
  bool name_gates() {
    std::array<int, kGates> named{-1, -1, -1, -1};
    const auto set = [&](Gate g, size_t index) {
      named[static_cast<size_t>(g)] = static_cast<int>(index);
    };
    for (size_t k = 0; k < kGates; ++k) {
      if (function_is(gates_[k], kTanhRange)) set(Gate::cell, k);
    }
    if (named[2] < 0) return false;
    const auto cell = static_cast<size_t>(named[2]);
    for (size_t k = 0; k < kGates; ++k) {
      if (static_cast<int>(k) == named[2]) continue;
      if (!function_is(gates_[k], kLogisticRange)) return false;
      if (multiplied(k, cell)) set(Gate::input, k);
      if (makes_hidden(k)) set(Gate::output, k);
    }
    if (named[0] < 0 || named[3] < 0 || named[0] == named[3]) return false;
    for (size_t k = 0; k < kGates; ++k) {
      const auto n = static_cast<int>(k);
      if (n != named[0] && n != named[2] && n != named[3]) set(Gate::forget, k);
    }
    for (size_t k = 0; k < kGates; ++k) found_.gates[k] = gates_[static_cast<size_t>(named[k])];
    return true;
  }

  bool multiplied(size_t a, size_t b) const {
    for (size_t s = found_.first_stage; s <= found_.last_stage; ++s) {
      const Stage& stage = r_.stages[s];
      if (stage.kind != StageKind::mul || stage.inputs.size() != 2) continue;
      const int x = gate_read(stage.loop_row, stage.inputs[0]);
      const int y = gate_read(stage.loop_factors, stage.inputs[1]);
      const auto is = [](int owner, size_t wanted) { return owner == static_cast<int>(wanted); };
      if ((is(x, a) && is(y, b)) || (is(x, b) && is(y, a))) return true;
    }
    return false;
  }

  // Products of two operands of 16 bits; the last of them writes bytes with the state's zero point.
  bool makes_hidden(size_t gate) {
    constexpr uint32_t kProduct = 0xF0;
    const auto& numerics = executable_.inputs[found_.hidden].numerics;
    for (size_t s = found_.first_stage; s <= found_.last_stage; ++s) {
      const Stage& stage = r_.stages[s];
      if (stage.nest.kind != kProduct || !numerics) continue;
      constexpr float kBytes = 256.0F;
      const bool bytes =
          stage.nest.upper < kBytes && stage.nest.output_zero_point == numerics->zero_point;
      if (!bytes || stage.inputs.empty()) continue;
      const Votes& read = stage.direct.empty() ? stage.inputs[0] : stage.direct;
      if (gate_read(stage.loop_row, read) != static_cast<int>(gate)) continue;
      found_.result = s;
      return true;
    }
    return false;
  }

  const Replay& r_;
  const darwinn::Executable& executable_;
  LstmStages found_;
  std::vector<GateStages> gates_;
};

}  // namespace

std::optional<LstmStages> find_lstm(const Replay& replay, const darwinn::Executable& executable) {
  return Finder(replay, executable).run();
}

bool compares_with(const DecodedProgram& steps, const LstmStages& lstm, int64_t number) {
  constexpr uint64_t kLess = 12;
  for (size_t i = lstm.first_step; i <= lstm.last_step; ++i) {
    const ProgramInstruction& s = steps.all[i];
    if (s.opcode != Opcode::scalar) continue;
    if (s.instruction().get("op") == kLess && s.instruction().get("immediate") != 0 &&
        static_cast<int64_t>(s.instruction().get("imm")) == number) {
      return true;
    }
  }
  return false;
}

std::optional<StepRows> step_rows(const Replay& replay, const LstmStages& lstm, int64_t steps) {
  const auto& fetches = replay.traces.loop_fetches;
  StepRows rows;
  std::optional<unsigned> index;
  int64_t first = 0;
  for (size_t k = 0; k < fetches.size(); ++k) {
    if (fetches[k].step < lstm.first_step || fetches[k].step > lstm.last_step) continue;
    const Instruction i = replay.steps.all[fetches[k].step].instruction();
    const auto named = static_cast<unsigned>(i.get("register"));
    if (!index) rows.fetch = k, first = replay.steps.copy(fetches[k].step).a.start;
    if (i.get("a.dynamic") == 0 || named != index.value_or(named)) return std::nullopt;
    index = named;
    rows.words += static_cast<int64_t>(fetches[k].words);
  }
  if (!index || rows.words <= 0) return std::nullopt;
  int64_t advanced = 0;
  bool ends = false;
  for (size_t i = lstm.first_step; i <= lstm.last_step; ++i) {
    if (replay.steps.all[i].opcode != Opcode::scalar) continue;
    const ScalarWord w = decode_scalar(replay.steps.all[i].bytes);
    const bool own = w.immediate && w.y == *index;
    const auto op = static_cast<ScalarOp>(w.op);
    if (own && op == ScalarOp::add && w.x == *index) advanced += w.imm;
    ends = ends || (own && op == ScalarOp::lt && int64_t{w.imm} == first + steps * rows.words);
  }
  return ends && advanced == rows.words ? std::optional(rows) : std::nullopt;
}

const MovedRows* result_rows(const Replay& replay, const LstmStages& lstm) {
  const MovedRows* found = nullptr;
  for (const MovedRows& rows : replay.traces.left_rows) {
    const Stage& last = replay.stages[rows.stage];
    const Votes* read = !last.direct.empty()  ? &last.direct
                        : last.inputs.empty() ? nullptr
                                              : &last.inputs[0];
    if (read == nullptr || top_owner(*read) != static_cast<int>(lstm.result)) continue;
    if (found != nullptr) return nullptr;
    found = &rows;
  }
  return found;
}

}  // namespace edgetwin::edgetpu
