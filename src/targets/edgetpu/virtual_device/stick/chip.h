// The registers of the chip with the effects that a driver sees: sleep and wake, run controls,
// interrupts.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "targets/edgetpu/device/registers.h"
#include "targets/edgetpu/virtual_device/stick/rules.h"

namespace edgetwin::edgetpu {

class Chip {
 public:
  // `settle`: how many reads see the old state after the chip was told to sleep or wake.
  explicit Chip(StickFindings& findings, int settle = 1);

  // Nothing: the chip does not answer.
  std::optional<uint64_t> read(uint32_t address, int width);
  bool write(uint32_t address, int width, uint64_t value);

  uint64_t get(Reg reg) const { return values_[static_cast<size_t>(reg)]; }
  void set(Reg reg, uint64_t value) { values_[static_cast<size_t>(reg)] = value; }
  bool asleep() const;
  // True once after the units lost their state: by sleep, or by a reset.
  bool take_lost_state();
  void power_on();

  // Complains of units that are not started; false if one of them is needed.
  bool ready_for_instructions();

  // Counts the scalar core's interrupt `n`.
  void count_interrupt(uint32_t n);
  // A fault of the host interface: bits of hib_error_status. True if the host is to be told.
  bool raise_fatal(uint64_t bits);
  // A top-level interrupt: 0 thermal shutdown, 1 bus error, 2 memory test, 3 thermal warning.
  bool raise_top_level(unsigned n);

 private:
  void write_known(const RegisterInfo& r, uint64_t value);
  void sleep_control(uint64_t value);
  void reset_units();

  StickFindings& findings_;
  int settle_;
  std::vector<uint64_t> values_;
  std::vector<bool> written_;
  uint64_t power_target_ = 0;  // state that cur_pwr_state is going to
  int reads_left_ = 0;         // until it is there
  bool lost_state_ = true;
  bool settings_checked_ = false;
};

}  // namespace edgetwin::edgetpu
