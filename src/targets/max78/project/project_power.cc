// Power, clocks and the boost pin. Source: specification "registers" 5.5 and 6, "codegen" 4.
#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {

std::string power_functions(const Plan& plan) {
  uint32_t groups = 0;
  for (const int g : plan.groups) groups |= 1U << g;
  // cnn_init tests the memories of all groups; the vendor's loader leaves those it does not use
  // without power all the same.
  if (plan.options.zero_sram && !plan.options.upstream_bugs) groups = 0xf;
  const auto set = [](int reg, const char* how, uint32_t value) {
    return "  MXC_GCFR->reg" + std::to_string(reg) + " " + how + " " + hex_text(value, 1) + ";\n";
  };
  std::string text =
      "int cnn_enable(uint32_t clock_source, uint32_t clock_divider)\n{\n"
      "  // Reset, memories and power of the groups in use, then out of isolation.\n";
  text += set(3, "=", 0xf) + set(1, "=", groups) + set(0, "=", groups);
  const int delay = plan.options.switch_delay.value_or(plan.chip->switch_delay_ms);
  if (delay > 0) {
    text += "  MXC_Delay(MXC_DELAY_MSEC(" + std::to_string(delay) + "));\n";
  }
  text += set(2, "=", ~groups & 0xfU) + set(3, "=", 0);
  if (plan.chip->has_pll) {
    text +=
        "\n  if (clock_source == MXC_S_GCR_PCLKDIV_CNNCLKSEL_IPLL)\n"
        "    while ((MXC_GCR->ipll_ctrl & MXC_F_GCR_IPLL_CTRL_RDY) != MXC_F_GCR_IPLL_CTRL_RDY) { "
        "}\n";
  }
  text +=
      "\n  MXC_GCR->pclkdiv = (MXC_GCR->pclkdiv & ~(MXC_F_GCR_PCLKDIV_CNNCLKDIV | "
      "MXC_F_GCR_PCLKDIV_CNNCLKSEL))\n                     | clock_divider | clock_source;\n"
      "  MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_CNN);\n\n";
  if (plan.options.riscv) {
    text += "  __enable_irq();\n  NVIC_EnableIRQ(CNN_IRQn);\n  NVIC_EnableEVENT(CNN_IRQn);\n";
  } else {
    text += "  NVIC_SetVector(CNN_IRQn, CNN_ISR);\n";
  }
  text += "\n  return CNN_OK;\n}\n\n";
  for (const bool on : {true, false}) {
    text += "int cnn_boost_";
    text += on ? "enable" : "disable";
    text += "(mxc_gpio_regs_t *port, uint32_t pin)\n{\n";
    if (on) {
      text +=
          "  mxc_gpio_cfg_t config;\n\n  config.port = port;\n  config.mask = pin;\n"
          "  config.pad = MXC_GPIO_PAD_NONE;\n  config.func = MXC_GPIO_FUNC_OUT;\n"
          "  config.vssel = MXC_GPIO_VSSEL_VDDIO;\n  MXC_GPIO_Config(&config);\n\n";
    }
    text += "  MXC_GPIO_Out";
    text += on ? "Set" : "Clr";
    text += "(port, pin);\n\n  return CNN_OK;\n}\n\n";
  }
  text += "int cnn_disable(void)\n{\n  MXC_SYS_ClockDisable(MXC_SYS_PERIPH_CLOCK_CNN);\n\n";
  text += set(3, "=", 0xf) + set(2, "|=", 0xf) + set(0, "=", 0) + set(1, "=", 0) + set(3, "=", 0);
  return text + "\n  return CNN_OK;\n}\n";
}

std::string softmax_source() {
  return R"(// Softmax to the base 2, with exponents rounded to integers. Input Q17.14, output Q15.
#include "mxc.h"
#include "cnn.h"

void softmax_q17p14_q15(const q31_t *vec_in, const uint16_t dim_vec, q15_t *p_out)
{
  uint16_t i;
  q31_t base = vec_in[0];
  uint32_t sum = 0;
  int32_t output_base;

  for (i = 1; i < dim_vec; i++)
    if (vec_in[i] > base) base = vec_in[i];
  base -= 16 << 14; // smaller terms do not count

  for (i = 0; i < dim_vec; i++)
    if (vec_in[i] > base) sum += 1UL << (uint8_t) ((8192 + vec_in[i] - base) >> 14);

  output_base = (int32_t) (0x100000000ULL / sum);

  for (i = 0; i < dim_vec; i++) {
    if (vec_in[i] > base) {
      const uint8_t shift = (uint8_t) (17 + ((8191 + base - vec_in[i]) >> 14));
      const int32_t value = output_base >> shift;
      p_out[i] = (q15_t) (value > 32767 ? 32767 : value);
    } else {
      p_out[i] = 0;
    }
  }
}

void softmax_shift_q17p14_q15(q31_t *vec_in, const uint16_t dim_vec, uint8_t in_shift, q15_t *p_out)
{
  uint16_t i;

  for (i = 0; i < dim_vec; i++)
    vec_in[i] = (q31_t) ((uint32_t) vec_in[i] << in_shift);

  softmax_q17p14_q15(vec_in, dim_vec, p_out);
}
)";
}

}  // namespace edgetwin::max78
