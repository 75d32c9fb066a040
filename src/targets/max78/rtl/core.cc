// main() of the simulated cores: clocks, power, and the order of calls. Source: specification
// "rtl" 4.
#include "targets/max78/project/project_parts.h"
#include "targets/max78/rtl/camera.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

class CoreText {
 public:
  explicit CoreText(const Plan& plan) : plan_(plan), o_(plan.options) {}

  // The Arm core that starts the RISC-V core.
  std::string wrapper() const {
    std::string text = "// Starts the RISC-V core, which runs the network.\n" +
                       rtl_includes(plan_, false) + "\nvoid WakeISR(void)\n{\n" + wake() +
                       "}\n\nint main(void)\n{\n" + clocks();
    if (plan_.small()) text += power_on() + accelerator_clock();
    const bool other = !o_.rtl.cache || !o_.rtl.flash;
    if (plan_.small()) {
      text += rtl_line("MXC_NBBFC->reg4 = 0x10001000;");
      text += rtl_line("MXC_GCR->perckcn1 &= ~MXC_F_GCR_PERCKCN1_SMPHRD;");
      text += rtl_line("NVIC_SetVector(RV32_IRQn, WakeISR);");
      if (o_.riscv_exclusive) text += rtl_line("MXC_NBBFC->reg5 |= 1;");
      text += rtl_line("MXC_GCR->perckcn1 &= ~MXC_F_GCR_PERCKCN1_CPU1;");
    } else {
      text += rtl_line(
          "MXC_FCR->urvbootaddr = " + std::string(other ? "0x2005c000" : "0x10001000") + ";");
      if (o_.riscv_exclusive) text += rtl_line("MXC_FCR->urvctrl |= 0x00000001;");
      text += rtl_line("MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_SMPHR);");
      text += rtl_line("NVIC_SetVector(RISCV_IRQn, WakeISR);");
      text += rtl_line("MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_CPU1);");
    }
    return text + rtl_line("__WFI();") + rtl_line("pass();") + "  return 0;\n}\n";
  }

  std::string main(bool loads_bias) const {
    std::string text = "int main(void)\n{\n";
    const int left = plan_.hw_layer(plan_.last) - plan_.hw_layer(plan_.start);
    if (o_.one_shot) text += "  int i;\n\n";
    if (!o_.riscv) {
      text += clocks();
    } else if (plan_.small()) {
      text += rtl_line("icache1_enable();") + rtl_line("invalidate_icache1();");
    }
    text += camera_setup(plan_);
    if (!o_.riscv || !plan_.small()) text += power_on() + accelerator_clock();
    if (!plan_.small()) {
      text += o_.riscv ? rtl_line("__enable_irq();") + rtl_line("NVIC_EnableIRQ(CNN_IRQn);") +
                             rtl_line("NVIC_EnableEVENT(CNN_IRQn);")
                       : rtl_line("NVIC_SetVector(CNN_IRQn, CNN_ISR);");
    }
    text += rtl_line("cnn_init();");
    if (!o_.rtl.preload_weights) text += rtl_line("cnn_load_weights();");
    if (o_.rtl.verify_kernels) {
      text += rtl_line("if (cnn_verify_weights() != CNN_OK) { fail(); return 0; }");
    }
    if (loads_bias) text += rtl_line("cnn_load_bias();");
    text += rtl_line("if (cnn_configure() != CNN_OK) { fail(); return 0; }");
    if (o_.rtl.stop_start) text += rtl_line("cnn_stop();") + rtl_line("cnn_continue();");
    text += sleep();
    if (o_.one_shot) {
      text += "  for (i = 0; i < " + std::to_string(left) + "; i++) {\n" +
              rtl_line("cnn_continue();") + sleep() + "  }\n";
    }
    if (!plan_.small() && pll()) text += divider(4);
    if (o_.kat) text += rtl_line("if (check_output() != CNN_OK) fail();");
    if (!plan_.small()) text += rtl_line("MXC_SYS_ClockDisable(MXC_SYS_PERIPH_CLOCK_CNN);");
    text += power_off();
    if (pll()) text += rtl_line("MXC_GCR->ipll_ctrl &= ~MXC_F_GCR_IPLL_CTRL_EN;");
    if (o_.riscv) {
      text += plan_.small() ? rtl_line(
                                  "MXC_SEMA->irqr0 = MXC_S_SEMA_IRQR_IRQEN_EN | "
                                  "MXC_S_SEMA_IRQR_IRQ_SET;")
                            : rtl_line(
                                  "MXC_SEMA->irq0 = MXC_F_SEMA_IRQ0_EN | "
                                  "MXC_F_SEMA_IRQ0_CM4_IRQ;");
    }
    return text + rtl_line("pass();") + "  return 0;\n}\n";
  }

 private:
  std::string power(const char* unit) const {
    uint32_t used = 0;
    for (const int g : plan_.groups) used |= 1U << g;
    const std::string reg = std::string("MXC_") + unit + "->reg";
    return rtl_line(reg + "3 = 0xf;") + rtl_line(reg + "1 = " + hex_text(used, 1) + ";") +
           rtl_line(reg + "0 = " + hex_text(used, 1) + ";") +
           rtl_line(reg + "2 = " + hex_text(~used & 0xfU, 1) + ";") + rtl_line(reg + "3 = 0x0;");
  }
  std::string power_on() const { return power(plan_.small() ? "BBFC" : "GCFR"); }
  std::string power_off() const {
    const std::string reg = std::string("MXC_") + (plan_.small() ? "BBFC" : "GCFR") + "->reg";
    return rtl_line(reg + "3 = 0xf;") + rtl_line(reg + "2 |= 0xf;") + rtl_line(reg + "0 = 0x0;") +
           rtl_line(reg + "1 = 0x0;") + rtl_line(reg + "3 = 0x0;");
  }
  bool pll() const { return !plan_.small() && o_.pll.value_or(true); }

  std::string clocks() const {
    std::string text = rtl_line("icache_enable();") +
                       rtl_line("*((volatile uint32_t *) 0x40000c00) = 0x00000001;") +
                       rtl_line("*((volatile uint32_t *) 0x40006c04) = 0x000001a0;") +
                       rtl_line("*((volatile uint32_t *) 0x40000c00) = 0x00000000;");
    if (plan_.small()) {
      return text + rtl_line("MXC_GCR->clkcn |= MXC_F_GCR_CLKCN_HIRC96M_EN;") +
             rtl_line("while ((MXC_GCR->clkcn & MXC_F_GCR_CLKCN_HIRC96M_RDY) == 0) ;") +
             rtl_line("MXC_GCR->clkcn |= MXC_S_GCR_CLKCN_CLKSEL_HIRC96;");
    }
    text += rtl_line("MXC_GCR->clkctrl |= MXC_F_GCR_CLKCTRL_IPO_EN;");
    if (pll()) text += rtl_line("MXC_GCR->ipll_ctrl |= MXC_F_GCR_IPLL_CTRL_EN;");
    return text + rtl_line("while ((MXC_GCR->clkctrl & MXC_F_GCR_CLKCTRL_IPO_RDY) == 0) ;") +
           rtl_line("MXC_GCR->clkctrl |= MXC_S_GCR_CLKCTRL_SYSCLK_SEL_IPO;");
  }

  std::string divider(int by) const {
    return rtl_line(
        "MXC_GCR->pclkdiv = (MXC_GCR->pclkdiv & ~(MXC_F_GCR_PCLKDIV_CNNCLKDIV | "
        "MXC_F_GCR_PCLKDIV_CNNCLKSEL)) | MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV" +
        std::to_string(by) + " | MXC_S_GCR_PCLKDIV_CNNCLKSEL_" + (pll() ? "IPLL" : "PCLK") + ";");
  }

  std::string accelerator_clock() const {
    if (plan_.small()) {
      return rtl_line("MXC_GCR->pckdiv = 0x00010000;") +
             rtl_line("MXC_GCR->perckcn &= ~0x2000000;");
    }
    const std::string locked =
        rtl_line("while ((MXC_GCR->ipll_ctrl & MXC_F_GCR_IPLL_CTRL_RDY) == 0) ;");
    return (pll() ? locked + locked : "") + divider(pll() ? 1 : 2) +
           rtl_line("MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_CNN);");
  }

  std::string sleep() const {
    if (plan_.small()) return rtl_line("cnn_wait();");
    if (o_.riscv) return rtl_line("asm volatile(\"wfi\");");
    return rtl_line("SCB->SCR &= ~SCB_SCR_SLEEPDEEP_Msk;") + rtl_line("__WFI();");
  }

  std::string wake() const {
    return plan_.small() ? rtl_line("MXC_SEMA->irqr0 = 0;") : rtl_line("MXC_SEMA->irq0 = 0;");
  }

  const Plan& plan_;
  const Options& o_;
};

}  // namespace

std::string rtl_includes(const Plan& plan, bool network) {
  const Options& o = plan.options;
  std::string text = plan.small() ? "" : "#include <assert.h>\n";
  text += "#include <stdlib.h>\n#include <stdint.h>\n";
  const bool camera = network && !o.rtl.camera.csv.empty();
  if (!plan.small()) {
    if (camera) text += "#include \"cameraif_regs.h\"\n";
    for (const char* name : {"mxc_device", "mxc_delay", "mxc_assert", "mxc_errors", "mxc_lock",
                             "mxc_pins", "mxc_sys", "nvic_table"}) {
      text += "#include \"" + std::string(name) + ".h\"\n";
    }
  }
  text += "#include \"global_functions.h\"\n";
  if (!network) return text;
  if (camera) text += "#include \"pcif_defines_af2.h\"\n#include \"pcif.c\"\n";
  if (!o.rtl.preload_weights) text += "#include \"" + o.files.weights + "\"\n";
  if (o.rtl.compact_data) text += "#include \"" + o.files.sample + "\"\n";
  if (o.rtl.compact_data && o.rtl.answer_file_given) {
    text += "#include \"" + o.files.answer + "\"\n";
  }
  return text;
}

std::string rtl_main(const Plan& plan, const Program& program) {
  return CoreText(plan).main(program.find("cnn_load_bias") != nullptr);
}

std::string rtl_wrapper(const Plan& plan) { return CoreText(plan).wrapper(); }

}  // namespace edgetwin::max78
