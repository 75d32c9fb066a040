// The run-control registers of the scalar core: halt, single step, break point. What they do on the
// silicon was never seen; here they do what their names say.
#include "targets/edgetpu/virtual_device/stick/stick.h"

namespace edgetwin::edgetpu {
namespace {

Reg nth(Reg first, size_t n) { return static_cast<Reg>(static_cast<size_t>(first) + n); }

}  // namespace

void Stick::hold(ByteSpan chunk) {
  held_.emplace();
  held_->chunk = to_bytes(chunk);
  held_->place = ScalarCore::Place(held_->chunk);
  held_->asked = held_core_.descriptors().size();
  publish_held();
}

// What the host reads of a halted core.
void Stick::publish_held() {
  chip_.set(Reg::currentPc, held_->place.pc);
  for (size_t n = 0; n < 32; ++n) {
    chip_.set(nth(Reg::scalarRegisterFile_0, n), held_core_.reg(n));
  }
  for (size_t n = 0; n < 8; ++n) {
    chip_.set(nth(Reg::predicateRegisterFile_0, n), held_core_.predicate(n) ? 1 : 0);
  }
}

// One instruction; false: the program is at its end, or broken.
bool Stick::step_held() {
  const Status stepped = held_core_.step(held_->place);
  if (!stepped.ok()) {
    get_stuck(StickRule::program, "word " + std::to_string(held_->place.pc),
              stepped.error().message);
    return false;
  }
  const std::vector<Descriptor>& all = held_core_.descriptors();
  for (; held_->asked < all.size(); ++held_->asked) ask(all[held_->asked]);
  return !held_->place.halted;
}

// `control` was written to scalarCoreRunControl.
void Stick::run_held(uint64_t control) {
  if (!held_ || (control != kRunStep && control != kRunGo)) return;
  // The host may have written registers meanwhile.
  for (size_t n = 0; n < 32; ++n) {
    held_core_.set_reg(n, static_cast<uint32_t>(chip_.get(nth(Reg::scalarRegisterFile_0, n))));
  }
  for (size_t n = 0; n < 8; ++n) {
    held_core_.set_predicate(n, chip_.get(nth(Reg::predicateRegisterFile_0, n)) != 0);
  }
  const uint64_t stop = chip_.get(Reg::scalarCoreBreakPoint);
  bool goes_on = step_held();
  for (uint64_t n = 0; control == kRunGo && goes_on && n < options_.limits.steps; ++n) {
    if (stop != 0 && held_->place.pc == stop) break;
    goes_on = step_held();
  }
  publish_held();
  if (goes_on) {
    chip_.set(Reg::scalarCoreRunControl, kRunHalt);
  } else {
    // At its end the core waits for the next program, halted if it was stepped there.
    chip_.set(Reg::scalarCoreRunControl, control == kRunStep ? kRunHalt : kRunGo);
    held_.reset();
  }
  if (!stuck_) advance();
}

}  // namespace edgetwin::edgetpu
