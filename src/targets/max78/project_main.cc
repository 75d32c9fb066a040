// main.c and main_riscv.c. Source: specification "codegen" 6.
#include <algorithm>

#include "targets/max78/project_parts.h"

namespace edgetwin::max78 {
namespace {

std::string number(int64_t n) { return std::to_string(n); }

// The word for the FIFO: from the array, or with each block's addend (--synthesize-input).
std::string fifo_value(const Plan& plan, int64_t list) {
  const std::string array = "input_" + number(list);
  if (!plan.options.synthesize_input) return array + "[i]";
  const std::string block = number(plan.options.synthesize_words);
  const auto addend = static_cast<uint32_t>(*plan.options.synthesize_input);
  const auto mask = static_cast<uint32_t>((uint64_t{1} << (8 * std::min(plan.sample.c, 4))) - 1);
  return "(" + array + "[i % " + block + "] + (uint32_t) (i / " + block + ") * " +
         hex_text(addend) + "U) & " + hex_text(mask) + "U";
}

std::string fifo_input(const Plan& plan, const Access& fifo) {
  const size_t lists = fifo.addresses.size();
  const bool fast = plan.options.use_fast_fifo();
  std::string text;
  for (size_t n = 0; n < lists; ++n) {
    text += "static const uint32_t input_" + number(static_cast<int64_t>(n)) +
            "[] = SAMPLE_INPUT_" + number(static_cast<int64_t>(n)) + ";\n";
  }
  text += "\nvoid load_input(void)\n{\n  int i;\n\n  for (i = 0; i < " +
          number(static_cast<int64_t>(fifo.words.size() / lists)) + "; i++) {\n";
  for (size_t n = 0; n < lists; ++n) {
    const uint32_t status = fast ? kFastFifoBase + 4 : kFifoBase + 4;
    const uint32_t index = (fifo.addresses[n] - kFifoBase - 8) / 4;
    const uint32_t full = fast ? 2U : 1U << index;
    if (plan.options.fifo_wait) {
      text += "    while ((*((volatile uint32_t *) " + hex_text(status) + ") & " + number(full) +
              ") != 0) { } // full\n";
    }
    text += "    *((volatile uint32_t *) " + hex_text(fifo.addresses[n]) +
            ") = " + fifo_value(plan, static_cast<int64_t>(n)) + ";\n";
  }
  return text + "  }\n}\n\n";
}

std::string input_function(const Plan& plan, const Function& load_input) {
  if (plan.options.use_fifo()) return fifo_input(plan, load_input.accesses.back());
  std::string text, calls;
  int n = 0;
  for (const Access& a : load_input.accesses) {
    const std::string array = "input_" + number(n);
    text += "static const uint32_t " + array + "[] = SAMPLE_INPUT_" + number(n++) + ";\n";
    calls += "  memcpy32((uint32_t *) " + hex_text(a.address) + ", " + array + ", " +
             number(static_cast<int64_t>(a.words.size()) + 1) + ");\n";
  }
  return text + "\nvoid load_input(void)\n{\n" + calls + "}\n\n";
}

const char* kCheckOutput = R"(static const uint32_t sample_output[] = SAMPLE_OUTPUT;

int check_output(void)
{
  const uint32_t *ptr = sample_output;
  volatile uint32_t *addr;
  uint32_t mask, len, value;
  int i = 0;

  while ((addr = (volatile uint32_t *) (uintptr_t) *ptr++) != 0) {
    mask = *ptr++;
    len = *ptr++;
    while (len-- > 0) {
      i++;
      value = *addr & mask;
      if (value != *ptr) {
        printf("Word %d at %p: expected 0x%08x, read 0x%08x\n", i, (void *) (uintptr_t) addr,
               (unsigned int) *ptr, (unsigned int) value);
        return CNN_FAIL;
      }
      addr++;
      ptr++;
    }
  }
  return CNN_OK;
}

)";

std::string results(const Plan& plan) {
  const LayerPlan& last = plan.layer(plan.last);
  const bool wide = last.output_width == 32;
  const bool softmax = plan.options.softmax && plan.options.unload;
  std::string text;
  if (wide) {
    text = "static int32_t ml_data[CNN_NUM_OUTPUTS];\n";
  } else {
    text = "static int32_t ml_data32[(CNN_NUM_OUTPUTS + 3) / 4];\n";
  }
  if (!plan.options.unload) return {};
  if (!softmax) return text + "\n";
  text += "static q15_t ml_softmax[CNN_NUM_OUTPUTS];\n\nvoid softmax_layer(void)\n{\n";
  if (!wide) {
    text +=
        "  cnn_unload((uint32_t *) ml_data32);\n"
        "  arm_softmax_q7_q15((const q7_t *) ml_data32, CNN_NUM_OUTPUTS, ml_softmax);\n";
  } else if (last.bits() == 8) {
    text +=
        "  cnn_unload((uint32_t *) ml_data);\n"
        "  softmax_q17p14_q15((const q31_t *) ml_data, CNN_NUM_OUTPUTS, ml_softmax);\n";
  } else {
    text +=
        "  cnn_unload((uint32_t *) ml_data);\n  softmax_shift_q17p14_q15((q31_t *) ml_data, "
        "CNN_NUM_OUTPUTS, " +
        number(8 - last.bits()) + ", ml_softmax);\n";
  }
  return text + "}\n\n";
}

struct Clock {
  std::string source, divider;
  bool pll = false;
};

Clock clock_of(const Plan& plan) {
  const Options& o = plan.options;
  const bool pll = plan.chip->has_pll && o.pll.value_or(true);
  const bool pipeline = plan.chip->has_pipeline && o.pipeline.value_or(true);
  int divider = 1;
  if (o.clock_divider) {
    divider = *o.clock_divider;
  } else if (!pipeline) {
    const int mhz = pll ? 200 : (plan.small() ? 50 : 60);
    while (divider < 16 && mhz > 50 * divider) divider *= 2;
  }
  if (pll && !o.max_speed && !o.clock_divider && divider < 4) divider = 4;
  return {pll ? "IPLL" : "PCLK", "DIV" + number(divider), pll};
}

std::string boost_call(const Plan& plan, const char* what) {
  const std::string& b = plan.options.boost;
  const auto dot = b.find('.');
  if (b.empty() || dot == std::string::npos) return {};
  return std::string("  cnn_boost_") + what + "(MXC_GPIO" + b.substr(0, dot) + ", MXC_GPIO_PIN_" +
         b.substr(dot + 1) + ");\n";
}

std::string wait_loop(const Plan& plan) {
  const Options& o = plan.options;
  if (!o.sleeps) return "  while (cnn_time == 0) { }\n";
  const char* sleep = o.riscv        ? "    asm volatile(\"wfi\");\n"
                      : o.deep_sleep ? "    MXC_LP_EnterLowPowerMode();\n"
                                     : "    MXC_LP_EnterSleepMode();\n";
  return std::string("  while (cnn_time == 0)\n") + sleep;
}

std::string energy_part(const Plan& plan, const Clock& clock) {
  if (!plan.options.energy) return {};
  return "  // For a power monitor: idle, loading of kernels, loading of input, inference.\n"
         "  cnn_disable();\n  SYS_START;\n  MXC_Delay(SEC(1));\n  SYS_COMPLETE;\n"
         "  cnn_enable(MXC_S_GCR_PCLKDIV_CNNCLKSEL_" +
         clock.source + ", MXC_S_GCR_PCLKDIV_CNNCLKDIV_" + clock.divider +
         ");\n  cnn_init();\n\n  CNN_START;\n  for (i = 0; i < 100; i++)\n"
         "    cnn_load_weights();\n  CNN_COMPLETE;\n\n  MXC_Delay(MSEC(500));\n\n  CNN_START;\n"
         "  for (i = 0; i < 100; i++)\n    load_input();\n  CNN_COMPLETE;\n\n";
}

std::string inference(const Plan& plan) {
  const bool fifo = plan.options.use_fifo();
  std::string once =
      fifo ? "  cnn_start();\n  load_input();\n" : "  load_input();\n  cnn_start();\n";
  once += wait_loop(plan);
  if (!plan.options.energy) return once;
  std::string text = "  CNN_START;\n  for (i = 0; i < 100; i++) {\n";
  size_t begin = 0;
  while (begin < once.size()) {
    const size_t end = once.find('\n', begin);
    text += "  " + once.substr(begin, end - begin + 1);
    begin = end + 1;
  }
  return text + "  }\n  CNN_COMPLETE;\n";
}

std::string classification() {
  return "  printf(\"Classification:\\n\");\n  for (i = 0; i < CNN_NUM_OUTPUTS; i++) {\n"
         "    const int tenths = (1000 * ml_softmax[i] + 0x4000) >> 15;\n"
         "    printf(\"class %d: %d.%d%%\\n\", i, tenths / 10, tenths % 10);\n  }\n";
}

// Time for a debugger to stop the core before anything is switched on.
std::string debug_delay(const Plan& plan) {
  if (plan.options.debug_wait == 0) return {};
  return "  printf(\"Waiting...\\n\");\n  MXC_Delay(SEC(" + number(plan.options.debug_wait) +
         ")); // for a debugger\n\n";
}

// What ends the program: the chip is switched off, or computes for ever.
std::string ending(const Plan& plan, const Clock& clock, const std::string& classes) {
  if (plan.options.forever) {
    return classes + "  while (1) {\n    cnn_start();\n    while (cnn_time == 0) { }\n  }\n}\n";
  }
  std::string text = "  cnn_disable();\n";
  if (clock.pll) text += "  MXC_GCR->ipll_ctrl &= ~MXC_F_GCR_IPLL_CTRL_EN;\n";
  if (!classes.empty()) text += "\n" + classes;
  if (plan.options.riscv) {
    text +=
        "\n  // Wake the Arm core.\n  MXC_SEMA->irq0 = MXC_F_SEMA_IRQ0_EN | "
        "MXC_F_SEMA_IRQ0_CM4_IRQ;\n";
  }
  return text + "\n  return 0;\n}\n";
}

std::string main_function(const Plan& plan, const ProjectOptions& options) {
  const Clock clock = clock_of(plan);
  const bool softmax = plan.options.softmax && plan.options.unload;
  const bool counts = softmax || plan.options.energy;
  std::string text = "int main(void)\n{\n";
  if (counts) text += "  int i;\n\n";
  if (plan.options.riscv) {
    text += "  MXC_ICC_Enable(MXC_ICC1);\n";
  } else {
    text += "  MXC_ICC_Enable(MXC_ICC0);\n  MXC_SYS_Clock_Select(MXC_SYS_CLOCK_IPO);\n";
  }
  if (clock.pll) text += "  MXC_GCR->ipll_ctrl |= MXC_F_GCR_IPLL_CTRL_EN;\n";
  text += "  SystemCoreClockUpdate();\n\n";
  if (!plan.options.riscv) text += debug_delay(plan);
  text += "  cnn_enable(MXC_S_GCR_PCLKDIV_CNNCLKSEL_" + clock.source +
          ", MXC_S_GCR_PCLKDIV_CNNCLKDIV_" + clock.divider + ");\n";
  text += boost_call(plan, "enable");
  text += "\n  printf(\"\\n*** " + options.name + " ***\\n\");\n\n";
  text += energy_part(plan, clock);
  text += "  cnn_init();\n  cnn_load_weights();\n  cnn_load_bias();\n  cnn_configure();\n" +
          inference(plan);
  text += boost_call(plan, "disable");
  if (plan.options.kat) text += "\n  if (check_output() != CNN_OK) fail();\n";
  if (softmax) {
    text += "  softmax_layer();\n";
  } else if (plan.options.unload) {
    text += plan.layer(plan.last).output_width == 32 ? "  cnn_unload((uint32_t *) ml_data);\n"
                                                     : "  cnn_unload((uint32_t *) ml_data32);\n";
  }
  text +=
      "\n  printf(\"\\n*** PASS ***\\n\\n\");\n\n#ifdef CNN_INFERENCE_TIMER\n"
      "  printf(\"Time of inference: %u us\\n\\n\", (unsigned int) cnn_time);\n#endif\n\n";
  return text + ending(plan, clock, softmax ? classification() : "");
}

}  // namespace

std::string main_source(const Plan& plan, const Function& load_input,
                        const ProjectOptions& options) {
  std::string text =
      "// " + options.name +
      ": one inference of the sample, checked against the known answer.\n"
      "#include <stdlib.h>\n#include <stdint.h>\n#include <string.h>\n#include <stdio.h>\n"
      "#include \"mxc.h\"\n#include \"cnn.h\"\n#include \"sampledata.h\"\n";
  if (plan.options.kat) text += "#include \"sampleoutput.h\"\n";
  text +=
      "\nvolatile uint32_t cnn_time;\n\nvoid fail(void)\n{\n  printf(\"\\n*** FAIL ***\\n\\n\");\n"
      "  while (1) { }\n}\n\n";
  text += input_function(plan, load_input);
  if (plan.options.kat) text += kCheckOutput;
  return text + results(plan) + main_function(plan, options);
}

std::string wrapper_source(const Plan& plan, const ProjectOptions& options) {
  return "// " + options.name +
         ": the Arm core starts the RISC-V core and sleeps until it is done.\n" +
         R"(#include <stdint.h>
#include <stdio.h>
#include "mxc.h"
#include "gcfr_regs.h"
#include "sema_regs.h"

extern uint32_t _binary_riscv_bin_start;

void WakeISR(void)
{
  MXC_SEMA->irq0 = MXC_F_SEMA_IRQ0_EN & ~MXC_F_SEMA_IRQ0_CM4_IRQ;
}

int main(void)
{
  MXC_ICC_Enable(MXC_ICC0);
  MXC_SYS_Clock_Select(MXC_SYS_CLOCK_IPO);
  SystemCoreClockUpdate();

  MXC_FCR->urvbootaddr = (uint32_t) (uintptr_t) &_binary_riscv_bin_start;
)" +
         std::string(plan.options.riscv_exclusive
                         ? "  MXC_FCR->urvctrl |= 0x00000001; // its own memory\n"
                         : "") +
         R"(  MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_SMPHR);
  NVIC_SetVector(RISCV_IRQn, WakeISR);

)" + debug_delay(plan) +
         R"(  MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_CPU1);

  MXC_LP_EnterSleepMode();
  return 0;
}
)";
}

}  // namespace edgetwin::max78
