#include "targets/max78/machine/schedule.h"

#include <algorithm>

namespace edgetwin::max78 {
namespace {

constexpr int kMostLayers = 4096;  // executed in one run; jumps could go round for ever

}  // namespace

unsigned Schedule::enabled() const {
  unsigned groups = 1U << master_;
  for (int g = 0; g < kGroups; ++g) {
    if (core_.regs.field(g, Field::ctl_enable, GlobalReg::ctl) != 0) groups |= 1U << g;
  }
  return groups;
}

void Schedule::start(int master) {
  if (state_ == MachineState::paused) {
    state_ = MachineState::running;
    return;
  }
  master_ = master;
  for (const Field f : {Field::lcnt_max_last, Field::lcnt_max_first}) {
    core_.seen.set(static_cast<size_t>(f));
  }
  last_ = static_cast<int>(core_.regs.field(master, Field::lcnt_max_last, GlobalReg::lcnt_max));
  first_ = static_cast<int>(core_.regs.field(master, Field::lcnt_max_first, GlobalReg::lcnt_max));
  for (int g = 0; g < kGroups; ++g) {
    if (((enabled() >> g) & 1U) == 0) continue;
    if (core_.regs.field(g, Field::ctl_clock, GlobalReg::ctl) != 0) continue;
    core_.findings.add(MachineEvent::clock_off, kNobody, g, 0, core_.steps, [&] {
      return "group " + std::to_string(g) + " is enabled, but its clock (CTL bit 3) is off";
    });
  }
  chain_.clear();
  next_ = first_;
  layers_run_ = 0;
  state_ = MachineState::running;
}

void Schedule::stop() {
  if (state_ == MachineState::running || state_ == MachineState::waiting) {
    chain_.clear();
    fifo_.end();
  }
  if (state_ != MachineState::paused) state_ = MachineState::idle;
}

MachineState Schedule::give_up(MachineState state) {
  chain_.clear();
  fifo_.end();
  return state_ = state;
}

void Schedule::begin_fifo(const LayerConfig& c) {
  const bool fast = core_.regs.field(master_, Field::ctl_fast_fifo, GlobalReg::ctl) != 0;
  if (core_.regs.field(master_, Field::ctl_fifo, GlobalReg::ctl) == 0 && !fast) return;
  unsigned groups = 0;
  for (int g = 0; g < kGroups; ++g) {
    const auto own = static_cast<unsigned>((c.processors >> (g * kGroupProcessors)) & 0xfU);
    if (own != 0) groups |= 1U << g;
  }
  if (groups == 0) return;
  int64_t frame = core_.regs.field(master_, Field::ifrm_words, GlobalReg::ifrm);
  const int64_t pixels = int64_t{c.rows} * c.columns;
  if (frame == 0) frame = c.chw ? (pixels + 3) / 4 : pixels;
  for (const Field f : {Field::ctl_fifo, Field::ctl_fast_fifo, Field::ifrm_words}) {
    core_.seen.set(static_cast<size_t>(f));
  }
  fifo_.begin(c, frame, groups, c.quad);
}

// The layer, and those that stream from it.
bool Schedule::begin(int layer) {
  chain_.clear();
  int at = layer;
  while (at >= 0) {
    // Only the first layer's number is a register as it was written; the next ones were checked.
    if (at >= core_.regs.layers()) {
      core_.findings.add(MachineEvent::bad_register, kNobody, kNobody, 0, core_.steps, [&] {
        return "the first layer is number " + std::to_string(at) + ", the chip has " +
               std::to_string(core_.regs.layers());
      });
      return false;
    }
    if (++layers_run_ > kMostLayers) {
      core_.findings.add(MachineEvent::layer_loop, at, kNobody, 0, core_.steps, [&] {
        return "layer " + std::to_string(at) + " would be number " + std::to_string(layers_run_) +
               " to run: the layers go round for ever";
      });
      return false;
    }
    LayerDecoder decoder(core_.chip, core_.regs, core_.findings, core_.seen,
                         core_.options.snoop_jumps);
    const LayerConfig c = decoder.decode(at, master_, enabled(), last_);
    if (!chain_.empty() && !c.streams) break;
    auto run = LayerRun::make(core_, c);
    if (run == nullptr) return false;
    if (core_.hook) core_.hook({MachineStep::Kind::layer_begins, at, core_.steps, 0, 0});
    if (!chain_.empty()) {
      chain_.back()->feed(run.get());
      run->expect_writer(chain_.back()->config().layer);
    } else if (at == first_) {
      begin_fifo(c);
      if (fifo_.active()) run->expect_writer(kFifoInput);
    }
    chain_.push_back(std::move(run));
    at = c.next;
    if (chain_.size() > 32) break;
  }
  next_ = at;
  return !chain_.empty();
}

bool Schedule::ready(size_t i) const {
  const LayerRun& l = *chain_[i];
  if (l.done()) return false;
  if (i > 0) return l.needed_words() <= chain_[i - 1]->written_words();
  if (!fifo_.active() || fifo_.complete()) return true;
  return l.config().streams && l.needed_words() <= fifo_.delivered();
}

// The last layer of a chain that can do a step does it: results are taken as soon as they are
// there.
bool Schedule::pump() {
  for (size_t i = chain_.size(); i-- > 0;) {
    if (!ready(i)) continue;
    chain_[i]->step();
    if (chain_[i]->done() && core_.hook) {
      core_.hook({MachineStep::Kind::layer_ends, chain_[i]->config().layer, core_.steps, 0, 0});
    }
    return true;
  }
  return false;
}

bool Schedule::move_words() {
  if (!fifo_.active()) return false;
  return fifo_.deliver(*chain_.front(), false) || fifo_.deliver(*chain_.front(), true);
}

void Schedule::finished() {
  fifo_.end();
  chain_.clear();
  for (int g = 0; g < kGroups; ++g) {
    if (((enabled() >> g) & 1U) == 0) continue;
    core_.regs.set(g, GlobalReg::ctl, core_.regs.get(g, GlobalReg::ctl) | 1U << 12);
  }
  if (!fifo_.empty()) {
    core_.findings.add(MachineEvent::fifo_surplus, kNobody, kFifoInput, 0, core_.steps,
                       [] { return "words are left in a FIFO after the last layer"; });
  }
  state_ = MachineState::finished;
}

void Schedule::finish_chain() {
  core_.layers_done += static_cast<int>(chain_.size());
  chain_.clear();
  fifo_.end();
  if (next_ < 0) return finished();
  if (core_.regs.field(master_, Field::ctl_one_shot, GlobalReg::ctl) == 0) return;
  core_.regs.set(master_, GlobalReg::ctl,
                 (core_.regs.get(master_, GlobalReg::ctl) | 1U << 12) & ~1U);
  state_ = MachineState::paused;
}

MachineState Schedule::run(uint64_t steps) {
  if (state_ == MachineState::waiting) state_ = MachineState::running;
  const uint64_t end = steps > UINT64_MAX - core_.steps ? UINT64_MAX : core_.steps + steps;
  while (state_ == MachineState::running) {
    if (core_.steps >= core_.options.step_limit || core_.products >= core_.options.multiply_limit) {
      core_.findings.add(MachineEvent::limit_reached, kNobody, kNobody, 0, core_.steps, [&] {
        return "after " + std::to_string(core_.steps) + " steps and " +
               std::to_string(core_.products) + " products the machine stops: the limits are " +
               std::to_string(core_.options.step_limit) + " and " +
               std::to_string(core_.options.multiply_limit);
      });
      return give_up(MachineState::step_limit);
    }
    if (core_.steps >= end) return state_;
    if (chain_.empty()) {
      if (!begin(next_)) return give_up(MachineState::stuck);
      continue;
    }
    if (pump()) continue;
    if (std::all_of(chain_.begin(), chain_.end(), [](const auto& l) { return l->done(); })) {
      // The frame is taken whole, also where the layers use only the front of it.
      if (fifo_.active() && !fifo_.complete()) {
        if (!move_words()) state_ = MachineState::waiting;
        continue;
      }
      finish_chain();
      continue;
    }
    if (!move_words()) state_ = MachineState::waiting;
  }
  return state_;
}

void Schedule::end_of_input() {
  if (state_ == MachineState::waiting) {
    core_.findings.add(MachineEvent::fifo_missing, first_, kFifoInput, 0, core_.steps, [&] {
      return "the input ends after " + std::to_string(fifo_.delivered()) +
             " words of the frame that layer " + std::to_string(first_) + " waits for";
    });
  }
  if (state_ == MachineState::idle && core_.layers_done == 0) {
    core_.findings.add(MachineEvent::not_started, kNobody, kNobody, 0, core_.steps, [] {
      return "no group was started: CTL of the leading group never had its enable bit set";
    });
  }
}

}  // namespace edgetwin::max78
