#include "targets/edgetpu/decompile/operands/lstm_stages.h"

#include <algorithm>

#include "formats/darwinn/variable_output.h"
#include "targets/edgetpu/decompile/stages/function_ranges.h"
#include "targets/edgetpu/isa/scalar.h"

namespace edgetwin::edgetpu {
namespace {

// As classify.cc has them: where the functions end.
// Who wrote most of what is read, copies followed; -1: nobody.
int owner_stage(const Replay& r, const Votes& votes, int depth = 0) {
  Owner best = kUnknown;
  int64_t most = 0;
  for (const auto& [owner, n] : votes) {
    if (owner < kFirstStage || n <= most) continue;
    most = n;
    best = owner;
  }
  constexpr int kDeepest = 16;
  if (best < kFirstStage || depth > kDeepest) return -1;
  const auto s = static_cast<size_t>(best - kFirstStage);
  const Stage& stage = r.stages[s];
  if (stage.kind != StageKind::copy) return static_cast<int>(s);
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
      GateStages g{static_cast<size_t>(a), static_cast<size_t>(b), s};
      if (!r_.stages[g.of_input].nest.has_bias) std::swap(g.of_input, g.of_hidden);
      const Stage& x = r_.stages[g.of_input];
      const Stage& h = r_.stages[g.of_hidden];
      const bool weighted = x.kind == StageKind::conv && h.kind == StageKind::conv;
      if (!weighted || !x.nest.has_bias || h.nest.has_bias) return false;
      gates_.push_back(g);
    }
    return gates_.size() == kGates;
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
    const size_t cell = gates_[static_cast<size_t>(named[2])].sum;
    for (size_t k = 0; k < kGates; ++k) {
      if (static_cast<int>(k) == named[2]) continue;
      if (!function_is(gates_[k], kLogisticRange)) return false;
      if (multiplied(gates_[k].sum, cell)) set(Gate::input, k);
      if (makes_hidden(gates_[k].sum)) set(Gate::output, k);
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
      const int x = owner_stage(r_, stage.inputs[0]);
      const int y = owner_stage(r_, stage.inputs[1]);
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
      if (owner_stage(r_, read) != static_cast<int>(gate)) continue;
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

std::optional<LoopSteps> find_loop(const DecodedProgram& steps) {
  std::optional<LoopSteps> loop;
  for (size_t i = 0; i < steps.all.size(); ++i) {
    const ProgramInstruction& s = steps.all[i];
    if (s.opcode != Opcode::branch) continue;
    const int64_t offset = s.instruction().get_signed("offset");
    if (offset >= 0) continue;
    const int64_t target = static_cast<int64_t>(s.word) + offset;
    for (size_t k = 0; k < i; ++k) {
      if (steps.all[k].chunk != s.chunk || static_cast<int64_t>(steps.all[k].word) < target)
        continue;
      const bool tensors = std::any_of(
          steps.all.begin() + static_cast<long>(k), steps.all.begin() + static_cast<long>(i),
          [](const ProgramInstruction& inside) { return inside.opcode == Opcode::tensor; });
      if (!tensors) break;
      if (loop) return std::nullopt;  // which of two is not known
      loop = LoopSteps{k, i};
      break;
    }
  }
  return loop;
}

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

}  // namespace edgetwin::edgetpu
