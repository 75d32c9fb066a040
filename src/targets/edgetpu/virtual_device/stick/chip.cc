#include "targets/edgetpu/virtual_device/stick/chip.h"

#include "base/text.h"

namespace edgetwin::edgetpu {
namespace {

// Registers of the units that lose their clock in sleep.
constexpr uint32_t kFirstUnitRegister = 0x40000;
constexpr uint64_t kAwake = 0, kAsleep = 2;          // cur_pwr_state
constexpr uint64_t kQuitSleep = 2, kEnterSleep = 3;  // force_sleep

struct Need {
  Reg reg;
  StickRule rule;
  std::optional<uint64_t> value;  // nothing: any but 0
};

constexpr Need kNeeds[] = {
#define NEED(reg, rule, value) {Reg::reg, StickRule::rule, value},
#define NEED_SET(reg, rule) {Reg::reg, StickRule::rule, std::nullopt},
#include "targets/edgetpu/virtual_device/stick/bring_up.def"
#undef NEED
#undef NEED_SET
};

// Interrupt controls, in the order of the top-level interrupts.
constexpr Reg kTopControl[] = {Reg::top_level_int_0_control, Reg::top_level_int_1_control,
                               Reg::top_level_int_2_control, Reg::top_level_int_3_control};
constexpr Reg kTopStatus[] = {Reg::top_level_int_0_status, Reg::top_level_int_1_status,
                              Reg::top_level_int_2_status, Reg::top_level_int_3_status};

}  // namespace

Chip::Chip(StickFindings& findings, int settle) : findings_(findings), settle_(settle) {
  power_on();
}

void Chip::power_on() {
  values_.clear();
  for (const RegisterInfo& r : all_registers()) values_.push_back(r.reset);
  written_.assign(values_.size(), false);
  power_target_ = kAwake;
  reads_left_ = 0;
  lost_state_ = true;
  settings_checked_ = false;
}

void Chip::reset_units() {
  for (const RegisterInfo& r : all_registers()) {
    if (r.address < kFirstUnitRegister) continue;
    set(r.id, r.reset);
    written_[static_cast<size_t>(r.id)] = false;
  }
  lost_state_ = true;
  settings_checked_ = false;
}

bool Chip::asleep() const { return power_target_ == kAsleep || reads_left_ > 0; }

bool Chip::take_lost_state() {
  const bool lost = lost_state_;
  lost_state_ = false;
  return lost;
}

std::optional<uint64_t> Chip::read(uint32_t address, int width) {
  const std::string place = "register " + hex_number(address);
  const RegisterInfo* r = find_register(address);
  if (r == nullptr || r->width != width) {
    findings_.add(StickRule::unknown_register, place,
                  r == nullptr ? "is read, and is not a known one"
                               : "is read with " + std::to_string(width) + " bits");
    if (r != nullptr) return std::nullopt;
    return 0;
  }
  if (address >= kFirstUnitRegister && asleep()) {
    findings_.add(StickRule::asleep, std::string(r->name), "is read while the chip sleeps");
    return std::nullopt;
  }
  if (r->id == Reg::scu_ctrl_3 && reads_left_ > 0 && --reads_left_ == 0) {
    set(r->id, field::scu_ctrl_3_cur_pwr_state.set(get(r->id), power_target_));
    if (power_target_ == kAwake) reset_units();
  }
  return get(r->id);
}

bool Chip::write(uint32_t address, int width, uint64_t value) {
  const std::string place = "register " + hex_number(address);
  const RegisterInfo* r = find_register(address);
  if (r == nullptr || r->width != width) {
    findings_.add(StickRule::unknown_register, place,
                  r == nullptr ? "is written, and is not a known one"
                               : "is written with " + std::to_string(width) + " bits");
    return r == nullptr;
  }
  if (address >= kFirstUnitRegister && asleep()) {
    findings_.add(StickRule::asleep, std::string(r->name), "is written while the chip sleeps");
    return false;
  }
  write_known(*r, value);
  written_[static_cast<size_t>(r->id)] = true;
  return true;
}

void Chip::write_known(const RegisterInfo& r, uint64_t value) {
  switch (r.id) {
    case Reg::scu_ctrl_3:
      sleep_control(value);
      return;
    case Reg::scu_ctr_7: {
      // Failures are cleared by writing 1; the raw ones are not written.
      const uint64_t failures =
          field::scu_ctr_7_pll_lock_failure.mask() | field::scu_ctr_7_usb_sel_failure.mask();
      set(r.id, (value & ~failures) | (get(r.id) & failures & ~value));
      return;
    }
    case Reg::omc0_dc: {
      uint64_t now = get(r.id);
      if (field::omc0_dc_warning_clear.get(value) != 0) now = field::omc0_dc_warning.set(now, 0);
      if (field::omc0_dc_shutdown_clear.get(value) != 0) now = field::omc0_dc_shutdown.set(now, 0);
      set(r.id, now);
      return;
    }
    case Reg::fatal_err_int_status:
    case Reg::top_level_int_0_status:
    case Reg::top_level_int_1_status:
    case Reg::top_level_int_2_status:
    case Reg::top_level_int_3_status:
    case Reg::hib_error_status:
    case Reg::hib_first_error_status:
      set(r.id, get(r.id) & value);  // cleared by writing 0
      return;
    default:
      set(r.id, value);
  }
}

void Chip::sleep_control(uint64_t value) {
  // The state is what the chip says, not what the host writes.
  const uint64_t state = field::scu_ctrl_3_cur_pwr_state.get(get(Reg::scu_ctrl_3));
  set(Reg::scu_ctrl_3, field::scu_ctrl_3_cur_pwr_state.set(value, state));
  const uint64_t wanted = field::scu_ctrl_3_force_sleep.get(value);
  if (wanted != kQuitSleep && wanted != kEnterSleep) return;
  power_target_ = wanted == kEnterSleep ? kAsleep : kAwake;
  if (wanted == kEnterSleep) reset_units();
  reads_left_ = state == power_target_ ? 0 : settle_ + 1;
}

bool Chip::ready_for_instructions() {
  if (asleep()) {
    findings_.add(StickRule::asleep, "instructions", "come while the chip sleeps");
    return false;
  }
  bool ready = true;
  for (const Need& n : kNeeds) {
    if (n.rule == StickRule::settings && settings_checked_) continue;
    const uint64_t value = get(n.reg);
    if (n.value ? value == *n.value : value != 0) continue;
    if (n.reg == Reg::scalarCoreRunControl && value == kRunHalt) continue;  // it will be stepped
    const RegisterInfo& r = info(n.reg);
    findings_.add(n.rule, std::string(r.name),
                  "is " + hex_number(value) + " as instructions come" +
                      (written_[static_cast<size_t>(n.reg)] ? "" : ", and was never written") +
                      (n.value ? "; it must be " + hex_number(*n.value) : ""));
    if (n.rule == StickRule::registers) ready = false;
  }
  if (get(Reg::multi_bo_ep) != 0) {
    findings_.add(StickRule::registers, "multi_bo_ep",
                  "is not 0: this firmware takes everything on one endpoint");
    ready = false;
  }
  settings_checked_ = true;
  return ready;
}

void Chip::count_interrupt(uint32_t n) {
  // Four counters of 16 bits.
  const unsigned at = (n & 3U) * 16;
  const uint64_t all = get(Reg::sc_host_int_count);
  const uint64_t one = ((all >> at) + 1) & 0xffffU;
  set(Reg::sc_host_int_count, (all & ~(uint64_t{0xffff} << at)) | (one << at));
}

bool Chip::raise_fatal(uint64_t bits) {
  if (get(Reg::hib_error_status) == 0) set(Reg::hib_first_error_status, bits);
  set(Reg::hib_error_status, get(Reg::hib_error_status) | bits);
  set(Reg::fatal_err_int_status, 1);
  return (get(Reg::fatal_err_int_control) & 1U) != 0;
}

bool Chip::raise_top_level(unsigned n) {
  if (n >= std::size(kTopControl)) return false;
  set(kTopStatus[n], 1);
  if (n == 3) set(Reg::omc0_dc, field::omc0_dc_warning.set(get(Reg::omc0_dc), 1));
  if (n == 0) set(Reg::omc0_dc, field::omc0_dc_shutdown.set(get(Reg::omc0_dc), 1));
  return (get(kTopControl[n]) & 1U) != 0;
}

}  // namespace edgetwin::edgetpu
