#include "targets/edgetpu/machine/schedule.h"

#include <algorithm>

namespace edgetwin::edgetpu::machine {
namespace {

// Engines that read and write narrow memory in the order of the program. The chip orders them by
// counters that instructions wait for; the compiler's programs are such that this order gives the
// same values. What only fills or empties queues runs ahead where it can.
enum class Engine : uint8_t { compute, mesh, to_wide, to_narrow, ring, queue };

Engine engine_of(const Step& s) {
  switch (s.opcode) {
    case Opcode::narrow_to_wide:
      return Engine::to_wide;
    case Opcode::wide_to_narrow:
      return Engine::to_narrow;
    case Opcode::move_down:
    case Opcode::move_left:
    case Opcode::move_up:
    case Opcode::move_right:
      return Engine::mesh;
    case Opcode::ring_send:
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      return Engine::ring;
    case Opcode::param:
    case Opcode::outfeed:
      return Engine::queue;
    default:
      return Engine::compute;
  }
}

// What is waiting before an instruction.
struct Before {
  const Step* alone = nullptr;  // the only tensor instruction that waits
  bool compute = false, mesh = false, to_wide = false, to_narrow = false;
  bool direct_to_wide = false;  // n2w that writes wide memory in place
  bool outfeed = false;
  uint32_t receivers[2] = {0, 0};  // tiles of ring receivers
  uint32_t direct_from_ring = 0;   // tiles whose wide memory the ring writes in place
};

// Whether the ring writes lines in place, and whether an instruction reads such lines.
bool receives_in_place(const Step& s) {
  return !s.a.streamed() || (s.header.count != 0 && !s.header.streamed);
}
bool reads_in_place(const Step& s) {
  if (engine_of(s) == Engine::compute) return s.nest && (s.nest->kind & kKindWeights) != 0;
  return engine_of(s) == Engine::to_narrow && !s.a.streamed();
}

// Whether the n2w at `n` fills the buffer that a tensor instruction multiplies with.
bool feeds(size_t n, const Step* tensor) {
  return tensor != nullptr && std::ranges::find(tensor->feeders, n) != tensor->feeders.end();
}

bool may_start(const Step& s, size_t n, const Before& b) {
  if (reads_in_place(s) && (b.direct_from_ring & s.tiles) != 0) return false;
  switch (engine_of(s)) {
    case Engine::compute:
    case Engine::mesh:
      return !b.compute && !b.mesh && !b.to_wide && !b.to_narrow;
    case Engine::to_wide:
      return (!b.compute || feeds(n, b.alone)) && !b.mesh && !b.to_wide;
    case Engine::to_narrow:
      // Passes of a buffer may run ahead of those who read them, words in place may not.
      if (b.to_narrow && !s.a.streamed()) return false;
      if (!s.a.streamed() && b.direct_to_wide) return false;
      if (s.numbers) return !b.compute;
      return !in_place(s) || (!b.compute && !b.mesh);
    case Engine::ring:
      if (s.opcode == Opcode::ring_send) return s.a.streamed() || !b.direct_to_wide;
      if (receives_in_place(s) && b.compute) return false;
      return (b.receivers[s.consumer] & s.tiles) == 0;
    case Engine::queue:
      return s.opcode != Opcode::outfeed || !b.outfeed;
  }
  return true;
}

void wait(const Step& s, Before& b) {
  switch (engine_of(s)) {
    case Engine::compute:
      b.alone = b.compute ? nullptr : &s;
      b.compute = true;
      return;
    case Engine::mesh:
      b.mesh = true;
      return;
    case Engine::to_wide:
      b.to_wide = true;
      b.direct_to_wide = b.direct_to_wide || !s.b.streamed();
      return;
    case Engine::to_narrow:
      b.to_narrow = true;
      return;
    case Engine::ring:
      if (s.opcode == Opcode::ring_send) return;
      b.receivers[s.consumer] |= s.tiles;
      if (receives_in_place(s)) b.direct_from_ring |= s.tiles;
      return;
    case Engine::queue:
      b.outfeed = b.outfeed || s.opcode == Opcode::outfeed;
      return;
  }
}

Result<Progress> run_one(Core& core, Step& s) {
  switch (s.opcode) {
    case Opcode::narrow_to_wide:
      return run_narrow_to_wide(core, s);
    case Opcode::wide_to_narrow:
      return run_wide_to_narrow(core, s);
    case Opcode::ring_send:
      return run_ring_send(core, s);
    case Opcode::ring_receive:
    case Opcode::ring_receive1:
      return run_ring_receive(core, s);
    case Opcode::param:
      return run_param(core, s);
    case Opcode::outfeed:
      return run_outfeed(core, s);
    case Opcode::table:
      return run_table(core, s);
    default:
      return run_tensor(core, s);
  }
}

class Scheduler {
 public:
  explicit Scheduler(Core& core) : core_(core), list_(core.steps.list) {}

  Status run() {
    while (!finished()) EDGETWIN_TRY(next());
    return all_received();
  }

  bool finished() const { return head_ == list_.size(); }

  // One action: an instruction, or moves that run together.
  Status next() {
    EDGETWIN_TRY_ASSIGN(const bool moved, advance());
    if (!moved) return stuck();
    while (head_ < list_.size() && list_[head_].done) ++head_;
    return Ok{};
  }

  // Every word that a tile passed on was taken by its neighbour.
  Status all_received() const {
    for (auto s = list_.rbegin(); s != list_.rend(); ++s) {
      if (engine_of(*s) != Engine::mesh || !s->sends) continue;
      const auto direction =
          static_cast<size_t>(s->opcode) - static_cast<size_t>(Opcode::move_down);
      for (size_t t = 0; t < kTiles; ++t) {
        const size_t left = core_.mesh[direction][t].size();
        if (left == 0) continue;
        return core_
            .error(ErrorCode::chip_stream, "a tile sends words that its neighbour never takes", *s)
            .detail(std::to_string(left) + " words to tile " + std::to_string(t) + " are left");
      }
    }
    return Ok{};
  }

 private:
  // Runs the first instruction that can. How far ahead of the first that waits is limited by
  // nothing but the program: its queues are short.
  Result<bool> advance() {
    Before before;
    for (size_t n = head_; n < list_.size(); ++n) {
      Step& s = list_[n];
      if (s.done) continue;
      if (may_start(s, n, before)) {
        EDGETWIN_TRY_ASSIGN(const bool ran, engine_of(s) == Engine::mesh ? move(n) : one(s));
        if (ran) return true;
      }
      wait(s, before);
    }
    return false;
  }

  Result<bool> one(Step& s) {
    EDGETWIN_TRY_ASSIGN(const Progress p, run_one(core_, s));
    s.done = p == Progress::done;
    return s.done;
  }

  // Moves of one direction, up to the next instruction of another narrow engine; where they wait
  // for words, with those of the same direction after it too.
  Result<bool> move(size_t first) {
    std::vector<Step*> group;
    size_t n = first;
    for (;;) {
      const size_t had = group.size();
      n = extend(group, list_[first].opcode, n);
      if (group.size() == had) return false;
      EDGETWIN_TRY_ASSIGN(const bool complete, run_moves(core_, group));
      if (complete) break;
    }
    for (Step* s : group) s->done = true;
    return true;
  }

  // Adds the next moves that stand together; where the search goes on.
  size_t extend(std::vector<Step*>& group, Opcode opcode, size_t n) {
    bool found = false;
    for (; n < list_.size(); ++n) {
      Step& s = list_[n];
      const Engine e = engine_of(s);
      if (e == Engine::compute) return n;
      if (s.opcode == opcode && !s.done) {
        group.push_back(&s);
        found = true;
      } else if (found && e != Engine::ring && e != Engine::queue) {
        return n;
      }
    }
    return n;
  }

  Status stuck() const {
    const Step& s = list_[head_];
    return core_.error(ErrorCode::chip_stream, "the program waits for what never comes", s);
  }

  Core& core_;
  std::vector<Step>& list_;
  size_t head_ = 0;
};

}  // namespace

Status run_steps(Core& core) { return Scheduler(core).run(); }

struct StepRun::State {
  explicit State(Core& c) : core(c), scheduler(c), done(c.steps.list.size()) {}
  Core& core;
  Scheduler scheduler;
  std::vector<bool> done;  // as it was said
};

StepRun::StepRun(Core& core) : state_(std::make_unique<State>(core)) {}
StepRun::~StepRun() = default;

bool StepRun::finished() const { return state_->scheduler.finished(); }

Result<std::vector<size_t>> StepRun::advance() {
  std::vector<size_t> ran;
  if (finished()) return ran;
  EDGETWIN_TRY(state_->scheduler.next());
  const std::vector<Step>& list = state_->core.steps.list;
  for (size_t n = 0; n < list.size(); ++n) {
    if (!list[n].done || state_->done[n]) continue;
    state_->done[n] = true;
    ran.push_back(n);
  }
  if (finished()) EDGETWIN_TRY(state_->scheduler.all_received());
  return ran;
}

}  // namespace edgetwin::edgetpu::machine
