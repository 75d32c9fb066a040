// main.c and main_riscv.c. Source: specification "codegen" 6.
#include "targets/max78/analysis/clock.h"
#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {
namespace {

// The accelerator's clock as calls of the vendor's library.
struct Clock : AcceleratorClock {
  std::string arguments(int divider) const {
    return std::string("MXC_S_GCR_PCLKDIV_CNNCLKSEL_") + (pll ? "IPLL" : "PCLK") +
           ", MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV" + std::to_string(divider);
  }
  // A change of the divider while the accelerator is on; nothing where there is none.
  std::string change(int divider) const {
    if (loading == running) return {};
    return "  MXC_GCR->pclkdiv = (MXC_GCR->pclkdiv & ~MXC_F_GCR_PCLKDIV_CNNCLKDIV) | "
           "MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV" +
           std::to_string(divider) + ";\n";
  }
};

Clock clock_of(const Plan& plan) { return {accelerator_clock(*plan.chip, plan.options)}; }

std::string boost_call(const Plan& plan, const char* what) {
  const std::string& b = plan.options.boost;
  const auto dot = b.find('.');
  if (b.empty() || dot == std::string::npos) return {};
  return std::string("  cnn_boost_") + what + "(MXC_GPIO" + b.substr(0, dot) + ", MXC_GPIO_PIN_" +
         b.substr(dot + 1) + ");\n";
}

// Every line two columns to the right.
std::string indented(const std::string& lines) {
  std::string text;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = lines.find('\n', begin);
    text += "  " + lines.substr(begin, end - begin + 1);
    begin = end + 1;
  }
  return text;
}

std::string wait_loop(const Plan& plan) {
  const Options& o = plan.options;
  if (!o.sleeps) return "  while (cnn_time == 0) { }\n";
  const char* sleep = o.riscv        ? "    asm volatile(\"wfi\");\n"
                      : o.deep_sleep ? "    MXC_LP_EnterLowPowerMode();\n"
                                     : "    MXC_LP_EnterSleepMode();\n";
  return std::string("  while (cnn_time == 0)\n") + sleep;
}

// --one-shot: the accelerator stops after each layer; one start is behind us.
std::string next_layers(const Plan& plan) {
  const int left = plan.hw_layer(plan.last) - plan.hw_layer(plan.start);
  return "  for (i = 0; i < " + std::to_string(left) + "; i++) { // a layer at a time\n" +
         indented("  cnn_continue();\n" + wait_loop(plan)) + "  }\n";
}

std::string energy_part(const Plan& plan, const Clock& clock) {
  if (!plan.options.energy) return {};
  return "  // For a power monitor: idle, loading of kernels, loading of input, inference.\n"
         "  cnn_disable();\n  SYS_START;\n  MXC_Delay(SEC(1));\n  SYS_COMPLETE;\n"
         "  cnn_enable(" +
         clock.arguments(clock.loading) +
         ");\n  cnn_init();\n\n  CNN_START;\n  for (i = 0; i < 100; i++)\n"
         "    cnn_load_weights();\n  CNN_COMPLETE;\n\n  MXC_Delay(MSEC(500));\n\n  CNN_START;\n" +
         // Nobody takes words from a FIFO yet.
         (plan.options.use_fifo() ? "  MXC_Delay(10);\n"
                                  : "  for (i = 0; i < 100; i++)\n    load_input();\n") +
         "  CNN_COMPLETE;\n\n";
}

std::string inference(const Plan& plan, const Clock& clock) {
  const bool fifo = plan.options.use_fifo();
  std::string once = clock.change(clock.running);
  once = fifo ? once + "  cnn_start();\n  load_input();\n"
              : "  load_input();\n" + once + "  cnn_start();\n";
  once += wait_loop(plan);
  if (plan.options.one_shot) once += next_layers(plan);
  once += clock.change(clock.loading);
  if (!plan.options.energy) return once;
  return "  CNN_START;\n  for (i = 0; i < 100; i++) {\n" + indented(once) +
         "  }\n  CNN_COMPLETE;\n";
}

// A string of C: names of classes may hold any sign.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      out += std::string("\\") + c;
    } else if (code < 0x20 || code == 0x7f) {
      out += ' ';
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// The names of the classes, --labels.
std::string class_names(const ProjectOptions& options) {
  if (options.labels.empty()) return {};
  std::string text = "static const char *const class_names[CNN_NUM_OUTPUTS] = {\n";
  for (const std::string& label : options.labels) text += "  " + quoted(label) + ",\n";
  return text + "};\n\n";
}

std::string classification(const ProjectOptions& options) {
  const bool named = !options.labels.empty();
  return "  printf(\"Classification:\\n\");\n  for (i = 0; i < CNN_NUM_OUTPUTS; i++) {\n"
         "    const int tenths = (1000 * ml_softmax[i] + 0x4000) >> 15;\n"
         "    printf(\"class " +
         std::string(named ? "%d (%s)" : "%d") + ": %d.%d%%\\n\", i, " +
         (named ? "class_names[i], " : "") + "tenths / 10, tenths % 10);\n  }\n";
}

// Time for a debugger to stop the core before anything is switched on.
std::string debug_delay(const Plan& plan) {
  if (plan.options.debug_wait == 0) return {};
  return "  printf(\"Waiting...\\n\");\n  MXC_Delay(SEC(" +
         std::to_string(plan.options.debug_wait) + ")); // for a debugger\n\n";
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
  const bool counts = softmax || plan.options.energy || plan.options.one_shot;
  std::string text = "int main(void)\n{\n";
  if (counts) text += "  int i;\n\n";
  text += main_begin(plan, options);
  text += energy_part(plan, clock);
  text += "  cnn_init();\n  cnn_load_weights();\n  cnn_load_bias();\n  cnn_configure();\n" +
          inference(plan, clock);
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
  return text + ending(plan, clock, softmax ? classification(options) : "");
}

}  // namespace

std::string main_begin(const Plan& plan, const ProjectOptions& options) {
  const Clock clock = clock_of(plan);
  std::string text;
  if (plan.options.riscv) {
    text += "  MXC_ICC_Enable(MXC_ICC1);\n";
  } else {
    text += "  MXC_ICC_Enable(MXC_ICC0);\n  MXC_SYS_Clock_Select(MXC_SYS_CLOCK_IPO);\n";
  }
  if (clock.pll) text += "  MXC_GCR->ipll_ctrl |= MXC_F_GCR_IPLL_CTRL_EN;\n";
  text += "  SystemCoreClockUpdate();\n\n";
  if (!plan.options.riscv) text += debug_delay(plan);
  text += "  cnn_enable(" + clock.arguments(clock.loading) + ");\n";
  text += boost_call(plan, "enable");
  text += "\n  printf(\"\\n*** " + options.name + " ***\\n\");\n\n";
  return text;
}

std::string inference_lines(const Plan& plan) { return inference(plan, clock_of(plan)); }

std::string main_source(const Plan& plan, const Function& load_input,
                        const ProjectOptions& options) {
  std::string text =
      "// " + options.name +
      ": one inference of the sample, checked against the known answer.\n"
      "#include <stdlib.h>\n#include <stdint.h>\n#include <string.h>\n#include <stdio.h>\n"
      "#include \"mxc.h\"\n#include \"cnn.h\"\n#include \"" +
      plan.options.files.sample + "\"\n";
  if (plan.options.kat) text += "#include \"" + plan.options.files.answer + "\"\n";
  text +=
      "\nvolatile uint32_t cnn_time;\n\nvoid fail(void)\n{\n  printf(\"\\n*** FAIL ***\\n\\n\");\n"
      "  while (1) { }\n}\n\n";
  text += options.frame != nullptr ? frame_function(plan, load_input, *options.frame)
                                   : input_function(plan, load_input);
  if (plan.options.kat) text += check_function();
  if (plan.options.softmax && plan.options.unload) text += class_names(options);
  return text + result_functions(plan) + main_function(plan, options);
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
