#include "targets/edgetpu/device/bring_up.h"

#include "base/text.h"

namespace edgetwin::edgetpu {

namespace {

// In this order; the tiles' own controls follow the scalar core's.
constexpr Reg kScalarRuns[] = {Reg::scalarCoreRunControl, Reg::avDataPopRunControl,
                               Reg::parameterPopRunControl, Reg::infeedRunControl,
                               Reg::outfeedRunControl};
constexpr Reg kTileRuns[] = {Reg::opRunControl,
                             Reg::narrowToWideRunControl,
                             Reg::wideToNarrowRunControl,
                             Reg::meshBus0RunControl,
                             Reg::meshBus1RunControl,
                             Reg::meshBus2RunControl,
                             Reg::meshBus3RunControl,
                             Reg::ringBusConsumer0RunControl,
                             Reg::ringBusConsumer1RunControl,
                             Reg::ringBusProducerRunControl};
constexpr Reg kTopLevel[] = {Reg::top_level_int_0_control, Reg::top_level_int_1_control,
                             Reg::top_level_int_2_control, Reg::top_level_int_3_control};

constexpr uint64_t kClockGated = 1, kClockForced = 2;
constexpr uint64_t kQuitSleep = 2, kEnterSleep = 3, kAwake = 0, kAsleep = 2;

Status write_all(RegisterPort& port, std::span<const Reg> regs, uint64_t value) {
  for (const Reg reg : regs) EDGETWIN_TRY(port.write(reg, value));
  return Ok{};
}

Status all_tiles(RegisterPort& port) {
  EDGETWIN_TRY(port.write(Reg::tileconfig0, kAllTiles));
  return port.poll(field::tileconfig0_tile, kAllTiles);
}

Status open_phase(RegisterPort& port) {
  port.phase("bring-up, open");
  EDGETWIN_TRY_ASSIGN(uint64_t value, port.read(Reg::scu_ctrl_0));
  value = field::scu_ctrl_0_pcie_inact_phy_mode.set(value, 0);
  value = field::scu_ctrl_0_usb_inact_phy_mode.set(value, 0);
  return port.write(Reg::scu_ctrl_0, value);
}

Status clock_gate_off(RegisterPort& port) {
  port.phase("bring-up, clock gate off");
  EDGETWIN_TRY_ASSIGN(const uint64_t value, port.read(Reg::scu_ctrl_2));
  if (field::scu_ctrl_2_gated_gcb.get(value) != kClockGated) return Ok{};
  return port.write(Reg::scu_ctrl_2, field::scu_ctrl_2_gated_gcb.set(value, kClockForced));
}

Status enable_reset(RegisterPort& port, std::string_view phase) {
  port.phase(phase);
  EDGETWIN_TRY_ASSIGN(const uint64_t value, port.read(Reg::scu_ctrl_3));
  if (field::scu_ctrl_3_force_sleep.get(value) == kEnterSleep) return Ok{};
  EDGETWIN_TRY(port.write(Reg::scu_ctrl_3, field::scu_ctrl_3_force_sleep.set(value, kEnterSleep)));
  EDGETWIN_TRY(port.poll(field::scu_ctrl_3_cur_pwr_state, kAsleep));
  EDGETWIN_TRY(port.write(Reg::gcbb_credit0, 0xf));
  return port.write(Reg::gcbb_credit0, 0);
}

uint64_t with_clocks(uint64_t value, Performance performance) {
  const PerformanceClocks mhz = clocks(performance);
  uint64_t divider = 0;
  for (int f = 500; f > mhz.gcb_mhz; f /= 2) ++divider;
  value = field::scu_ctrl_3_gcb_clkdiv.set(value, divider);
  value = field::scu_ctrl_3_axi_clk_125m.set(value, mhz.axi_mhz == 125 ? 1 : 0);
  return field::scu_ctrl_3_clk_8051_250m.set(value, mhz.usb_mhz == 250 ? 1 : 0);
}

Status quit_reset(RegisterPort& port, Performance performance) {
  port.phase("bring-up, quit reset");
  EDGETWIN_TRY_ASSIGN(uint64_t value, port.read(Reg::scu_ctrl_3));
  value = with_clocks(field::scu_ctrl_3_force_sleep.set(value, kQuitSleep), performance);
  EDGETWIN_TRY(port.write(Reg::scu_ctrl_3, value));
  EDGETWIN_TRY(port.poll(field::scu_ctrl_3_cur_pwr_state, kAwake));
  EDGETWIN_TRY(port.poll(whole(Reg::scalarCoreRunControl, 63), kRunIdle));
  EDGETWIN_TRY(port.write(Reg::idleRegister, 1));
  EDGETWIN_TRY(all_tiles(port));
  constexpr uint64_t kToSleep = 2, kToWake = 30;
  return port.write(Reg::deepSleep, field::deepSleep_to_wake_delay.set(kToSleep, kToWake));
}

Status initialize(RegisterPort& port, const BringUpOptions& options) {
  port.phase("bring-up, initialize");
  EDGETWIN_TRY(port.read(Reg::omc0_00));
  EDGETWIN_TRY(port.write(Reg::descr_ep, options.descriptors ? 0xff : 0xf0));
  EDGETWIN_TRY(port.write(Reg::multi_bo_ep, 0));
  return port.write(Reg::outfeed_chunk_length, options.chunk_bytes / kChunkUnitBytes);
}

Status run_controls(RegisterPort& port, uint64_t value) {
  EDGETWIN_TRY(write_all(port, kScalarRuns, value));
  EDGETWIN_TRY(all_tiles(port));
  return write_all(port, kTileRuns, value);
}

// The sources of the top-level interrupts: thermal, memory test, boot, bus errors.
Status interrupt_sources(RegisterPort& port, bool on) {
  const uint64_t enable = on ? 1 : 0;
  EDGETWIN_TRY(port.update(field::omc0_d4_warning_enable, enable));
  EDGETWIN_TRY_ASSIGN(uint64_t bist, port.read(Reg::rambist_ctrl_1));
  bist = field::rambist_ctrl_1_int_status.set(bist, 0);
  bist = field::rambist_ctrl_1_int_mask.set(bist, on ? 0 : 7);
  EDGETWIN_TRY(port.write(Reg::rambist_ctrl_1, bist));
  EDGETWIN_TRY_ASSIGN(uint64_t boot, port.read(Reg::scu_ctr_7));
  boot = field::scu_ctr_7_pll_lock_failure.set(boot, 0);
  boot = field::scu_ctr_7_usb_sel_failure.set(boot, 0);
  boot = field::scu_ctr_7_boot_failure_mask.set(boot, on ? 0 : 3);
  EDGETWIN_TRY(port.write(Reg::scu_ctr_7, boot));
  EDGETWIN_TRY(port.write(Reg::slv_abm_en, enable));
  EDGETWIN_TRY(port.write(Reg::mst_abm_en, enable));
  EDGETWIN_TRY(port.write(Reg::slv_err_resp_isr_mask, on ? 3 : 0));
  EDGETWIN_TRY(port.write(Reg::mst_err_resp_isr_mask, on ? 3 : 0));
  return port.update(field::omc0_d8_shutdown_enable, enable);
}

}  // namespace

std::string_view name(Performance performance) {
  constexpr std::string_view kNames[] = {"low", "medium", "high", "max"};
  return kNames[static_cast<size_t>(performance)];
}

PerformanceClocks clocks(Performance performance) {
  constexpr PerformanceClocks kTable[] = {
      {63, 125, 250}, {125, 125, 500}, {250, 125, 500}, {500, 250, 500}};
  return kTable[static_cast<size_t>(performance)];
}

Status bring_up(RegisterPort& port, const BringUpOptions& options) {
  EDGETWIN_TRY(open_phase(port));
  EDGETWIN_TRY(clock_gate_off(port));
  EDGETWIN_TRY(enable_reset(port, "bring-up, enable reset"));
  EDGETWIN_TRY(quit_reset(port, options.performance));
  port.phase("bring-up, hardware clock gate");
  EDGETWIN_TRY(port.update(field::scu_ctrl_2_gated_gcb, kClockGated));
  EDGETWIN_TRY(initialize(port, options));
  port.phase("bring-up, run");
  EDGETWIN_TRY(run_controls(port, kRunGo));
  port.phase("bring-up, fatal interrupt");
  EDGETWIN_TRY(port.write(Reg::fatal_err_int_control, 1));
  port.phase("bring-up, top-level interrupts");
  EDGETWIN_TRY(write_all(port, kTopLevel, 1));
  return interrupt_sources(port, true);
}

Status shut_down(RegisterPort& port) {
  port.phase("shutdown, interrupts");
  EDGETWIN_TRY(interrupt_sources(port, false));
  EDGETWIN_TRY(write_all(port, kTopLevel, 0));
  EDGETWIN_TRY(port.write(Reg::fatal_err_int_control, 0));
  port.phase("shutdown, halt");
  EDGETWIN_TRY(run_controls(port, kRunHalt));
  return enable_reset(port, "shutdown, sleep");
}

Result<Temperature> read_temperature(RegisterPort& port) {
  port.phase("temperature");
  EDGETWIN_TRY_ASSIGN(const uint64_t value, port.read(Reg::omc0_dc));
  Temperature t;
  t.raw = static_cast<int>(field::omc0_dc_data.get(value));
  t.warning = field::omc0_dc_warning.get(value) != 0;
  t.shutdown = field::omc0_dc_shutdown.get(value) != 0;
  return t;
}

Status clear_thermal(RegisterPort& port, const Temperature& seen) {
  if (seen.warning) EDGETWIN_TRY(port.update(field::omc0_dc_warning_clear, 1));
  if (seen.shutdown) EDGETWIN_TRY(port.update(field::omc0_dc_shutdown_clear, 1));
  return Ok{};
}

Result<std::vector<std::string>> fatal_state(RegisterPort& port) {
  port.phase("reading the error registers");
  std::vector<std::string> lines;
  for (const Reg reg : {Reg::hib_error_status, Reg::hib_first_error_status, Reg::Error_ScalarCore,
                        Reg::currentPc}) {
    EDGETWIN_TRY_ASSIGN(const uint64_t value, port.read(reg));
    std::string line = std::string(info(reg).name) + " = " + hex_number(value);
    if (reg == Reg::hib_error_status || reg == Reg::hib_first_error_status)
      for (const RegisterField& f : all_register_fields())
        if (f.reg == Reg::hib_error_status && ((value >> f.low) & 1) != 0)
          line += ", " + std::string(f.name);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace edgetwin::edgetpu
