// cnn.c and cnn.h. Source: specification "codegen" 3 and 4.
#include "targets/max78/analysis/statistics.h"
#include "targets/max78/chip/regs.h"
#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {
namespace {

std::string at(uint32_t address) { return "*((volatile uint32_t *) " + hex_text(address) + ")"; }

std::string statement(const Access& a) {
  switch (a.kind) {
    case Access::Kind::write:
      return at(a.address) + " = " + hex_text(a.value) + ";";
    case Access::Kind::set_bits:
      return at(a.address) + " |= " + hex_text(a.value) + ";";
    case Access::Kind::keep_bits:
      return at(a.address) + " &= " + hex_text(a.value) + ";";
    case Access::Kind::wait:
      return "while ((" + at(a.address) + " & " + hex_text(a.mask) + ") != " + hex_text(a.value) +
             ") { }";
    case Access::Kind::read:
      return "if ((" + at(a.address) + " & " + hex_text(a.mask) + ") != 0) return CNN_FAIL;";
    default:
      return {};
  }
}

// --verify-writes: what was written is read back. Of the MAX78002 the lengths of buffers and what
// cnn_init writes first, before the clocks run, cannot be read.
bool reads_back(const Plan& plan, const Access& a) {
  if (!plan.options.verify_writes || a.kind != Access::Kind::write) return false;
  if (plan.small()) return true;
  const uint32_t in_group = (a.address - plan.chip->cnn_base) % plan.chip->group_stride;
  const uint32_t first = address(*plan.chip, LayerReg::fmax, 0, 0) - plan.chip->cnn_base;
  return in_group < first || in_group >= first + 32;
}

std::string read_back(const Access& a) {
  return "  if (" + at(a.address) + " != " + hex_text(a.value) + ") return CNN_FAIL;\n";
}

// The accesses from `unread` on are read back.
std::string body(const Plan& plan, const Function& f, size_t unread = 0) {
  std::string text;
  for (size_t i = 0; i < f.accesses.size(); ++i) {
    const Access& a = f.accesses[i];
    if (!a.words.empty()) {  // --init-tram: all of them are 0
      text += "  clear32((volatile uint32_t *) " + hex_text(a.address) + ", " +
              std::to_string(static_cast<int64_t>(a.words.size()) + 1) + ");\n";
      continue;
    }
    text += "  " + statement(a) + "\n";
    if (i >= unread && reads_back(plan, a)) text += read_back(a);
  }
  return text;
}

// The first accesses of cnn_init that --verify-writes leaves alone: up to the end of the reset.
size_t unread_of_init(const Plan& plan, const Function& init) {
  if (plan.small()) return 0;
  size_t n = 0;
  for (size_t i = 0; i < init.accesses.size(); ++i) {
    if (init.accesses[i].kind == Access::Kind::wait) n = i + 1;
    if (n > 0 && i >= n + plan.groups.size()) break;
  }
  return n + plan.groups.size();
}

std::string clear_function(const Plan& plan) {
  if (!plan.options.init_tram) return {};
  return "static void clear32(volatile uint32_t *dst, int n)\n{\n  while (n-- > 0)\n"
         "    *dst++ = 0;\n}\n\n";
}

std::string function(const std::string& name, const std::string& content) {
  return "int " + name + "(void)\n{\n" + content + "\n  return CNN_OK;\n}\n\n";
}

std::string load_weights(const Plan& plan, const std::vector<KernelArray>& arrays) {
  if (arrays.empty()) return function("cnn_load_weights", "");
  std::string text, calls;
  if (arrays.front().name != "KERNELS") {
    for (const KernelArray& a : arrays) {
      std::string lower = "kernels" + a.name.substr(7);
      text += "static const uint32_t " + lower + "[] = " + a.name + ";\n";
      if (a.byte_address != 0) {
        calls += "  *((volatile uint8_t *) " + hex_text(a.byte_address) + ") = 0x01;\n";
      }
      calls += "  memcpy32((uint32_t *) " + hex_text(a.address) + ", " + lower + ", " +
               std::to_string(a.words.size()) + ");\n";
    }
    return text + "\n" + function("cnn_load_weights", calls);
  }
  const std::string set_column =
      plan.options.mexpress ? "    *((volatile uint8_t *) ((uintptr_t) addr | 1)) = 0x01;\n" : "";
  return "static const uint32_t kernels[] = KERNELS;\n\n" +
         function(
             "cnn_load_weights",
             "  const uint32_t *ptr = kernels;\n  uint32_t len;\n  volatile uint32_t *addr;\n\n"
             "  while ((addr = (volatile uint32_t *) (uintptr_t) *ptr++) != 0) {\n" +
                 set_column +
                 "    len = *ptr++;\n"
                 "    while (len-- > 0)\n      *addr++ = *ptr++;\n  }\n");
}

std::string load_bias(const Plan& plan) {
  std::string arrays, calls;
  for (int g = 0; g < kGroups; ++g) {
    const auto& biases = plan.biases[static_cast<size_t>(g)];
    if (biases.empty()) continue;
    const std::string n = std::to_string(g);
    arrays += "static const uint8_t bias_" + n + "[] = BIAS_" + n + ";\n";
    calls += "  memcpy_8to32((uint32_t *) " + hex_text(plan.chip->bias_address(g)) + ", bias_" + n +
             ", sizeof(bias_" + n + "));\n";
    if (!plan.options.verify_writes) continue;
    calls += "  for (i = 0; i < (int) sizeof(bias_" + n +
             "); i++)\n    if (((volatile uint32_t *) " + hex_text(plan.chip->bias_address(g)) +
             ")[i] != bias_" + n + "[i]) return CNN_FAIL;\n";
  }
  if (arrays.empty()) return function("cnn_load_bias", "  // The network has no biases.");
  if (plan.options.verify_writes) calls.insert(0, "  int i;\n\n");
  return arrays +
         "\nstatic void memcpy_8to32(uint32_t *dst, const uint8_t *src, int n)\n{\n"
         "  volatile uint32_t *to = dst;\n\n  while (n-- > 0)\n    *to++ = *src++;\n}\n\n" +
         function("cnn_load_bias", calls);
}

std::string layer_comment(const Plan& plan) {
  static constexpr const char* kGap = "// ";
  std::string text;
  for (const int i : plan.order) {
    const LayerPlan& l = plan.layer(i);
    const auto size = [](Size2 s) { return std::to_string(s.h) + "x" + std::to_string(s.w); };
    text += kGap + std::string("Layer ") + std::to_string(i) + ": " +
            std::to_string(l.in_channels) + "x" + size(l.in_dim) + (l.flatten ? " flattened" : "");
    if (l.pools())
      text += ", " + std::string(ai8x::name(l.yaml->pooling)) + " pooling " + size(l.pool);
    if (l.operands > 1)
      text += ", " + std::string(ai8x::name(l.yaml->eltwise)) + " of " + std::to_string(l.operands);
    text += ", " + std::string(ai8x::name(l.op));
    if (!l.passthrough())
      text += " " + size(l.kernel) + ", " + std::to_string(l.bits()) + "-bit weights";
    text += ", to " + std::to_string(l.out_channels) + "x" + size(l.out_dim) + "\n";
  }
  return text;
}

std::string interrupt_handler(const Plan& plan, const ProgramParts& program) {
  const bool riscv = plan.options.riscv;
  std::string text;
  if (riscv) text += "void CNN_IRQHandler(void) __attribute__((interrupt(\"machine\")));\n\n";
  text += std::string("void ") + (riscv ? "CNN_IRQHandler" : "CNN_ISR") + "(void)\n{\n" +
          body(plan, *program.interrupt);
  if (!plan.options.energy) text += "\n  CNN_COMPLETE;\n";
  text +=
      "#ifdef CNN_INFERENCE_TIMER\n  cnn_time = MXC_TMR_SW_Stop(CNN_INFERENCE_TIMER);\n#else\n"
      "  cnn_time = 1;\n#endif\n";
  if (riscv) text += "\n  NVIC_ClearPendingIRQ(CNN_IRQn);\n  NVIC_ClearPendingEVENT(CNN_IRQn);\n";
  return text + "}\n\n";
}

// The master's enable comes last, after the timer.
std::string start(const Plan& plan, const ProgramParts& program) {
  Function f = *program.start;
  const Access enable = f.accesses.back();
  f.accesses.pop_back();
  std::string text =
      "  cnn_time = 0;\n\n" + body(plan, f) +
      "\n#ifdef CNN_INFERENCE_TIMER\n  MXC_TMR_SW_Start(CNN_INFERENCE_TIMER);\n#endif\n\n";
  if (!plan.options.energy) text += "  CNN_START;\n";
  return function("cnn_start", text + "  " + statement(enable) + "\n");
}

}  // namespace

std::string cnn_source(const Plan& plan, const ProgramParts& program,
                       const std::vector<KernelArray>& kernels) {
  std::string text = "// The network on the accelerator of a " +
                     std::string(name(plan.chip->device)) + ".\n//\n" + layer_comment(plan) + "\n";
  if (!plan.small()) text += "#include <assert.h>\n";
  text +=
      "#include <stdlib.h>\n#include <stdint.h>\n#include <string.h>\n#include <stdio.h>\n"
      "#include \"mxc.h\"\n#include \"gcfr_regs.h\"\n#include \"cnn.h\"\n#include "
      "\"" +
      plan.options.files.weights + "\"\n\n";
  text += interrupt_handler(plan, program);
  const uint32_t control = address(*plan.chip, GlobalReg::ctl, plan.groups.front());
  text += function("cnn_continue", "  cnn_time = 0;\n\n  " + at(control) + " |= 0x1;\n");
  text += function("cnn_stop", "  " + at(control) + " &= ~0x1U;\n");
  text +=
      "void memcpy32(uint32_t *dst, const uint32_t *src, int n)\n{\n  volatile uint32_t *to = "
      "dst;\n\n"
      "  while (n-- > 0)\n    *to++ = *src++;\n}\n\n";
  text += load_weights(plan, kernels) + load_bias(plan);
  text += clear_function(plan) +
          function("cnn_init", body(plan, *program.init, unread_of_init(plan, *program.init)));
  text += function("cnn_configure", body(plan, *program.configure));
  text += start(plan, program);
  if (plan.options.unload) text += unload_function(plan);
  return text + power_functions(plan);
}

std::string cnn_header(const Plan& plan) {
  const Statistics s = statistics(plan);
  const LayerPlan& last = plan.layer(plan.last);
  const int64_t outputs = int64_t{last.out_channels} * last.out_dim.h * last.out_dim.w;
  const auto number = [](int64_t n) { return std::to_string(n); };
  std::string text =
      "// Functions of the network on the accelerator.\n#ifndef CNN_H\n#define CNN_H\n\n"
      "#include <stdint.h>\ntypedef int32_t q31_t;\ntypedef int16_t q15_t;\n\n"
      "#define CNN_FAIL 0\n#define CNN_OK 1\n\n/*\n";
  text += "  Operations: " + number(s.operations.all()) + " (" + number(s.operations.macc) +
          " macc, " + number(s.operations.comp) + " comp, " + number(s.operations.add) + " add, " +
          number(s.operations.mul) + " mul, " + number(s.operations.bitwise) + " bitwise)\n";
  for (const LayerStatistics& l : s.layers) {
    text += "    Layer " + number(l.layer) + ": " + number(l.operations.all()) + "\n";
  }
  text +=
      "  Kernels: " + number(s.weight_bytes) + " of " + number(s.weight_bytes_total) + " bytes\n";
  text +=
      "  Biases: " + number(s.bias_bytes) + " of " + number(s.bias_bytes_total) + " bytes\n*/\n\n";
  text += "#define CNN_NUM_OUTPUTS " + number(outputs) + "\n";
  if (plan.options.timer && !plan.options.energy) {
    text += "#define CNN_INFERENCE_TIMER MXC_TMR" + number(*plan.options.timer) + "\n";
  }
  if (plan.options.energy && !plan.small()) {
    text +=
        "#define CNN_START gpio_trig2(1)\n#define CNN_COMPLETE gpio_trig2(0)\n"
        "#define SYS_START gpio_trig1(1)\n#define SYS_COMPLETE gpio_trig1(0)\n";
  } else {
    text +=
        "#define CNN_START LED_On(1)\n#define CNN_COMPLETE LED_Off(1)\n"
        "#define SYS_START LED_On(0)\n#define SYS_COMPLETE LED_Off(0)\n";
  }
  text +=
      "\nvoid softmax_q17p14_q15(const q31_t *vec_in, const uint16_t dim_vec, q15_t *p_out);\n"
      "void softmax_shift_q17p14_q15(q31_t *vec_in, const uint16_t dim_vec, uint8_t in_shift, "
      "q15_t *p_out);\n\n"
      "// 0 while the network runs; then 1, or microseconds with a timer.\n"
      "extern volatile uint32_t cnn_time;\n\n"
      "int cnn_enable(uint32_t clock_source, uint32_t clock_divider);\n";
  for (const char* f : {"cnn_disable", "cnn_init", "cnn_configure", "cnn_load_weights",
                        "cnn_load_bias", "cnn_start", "cnn_stop", "cnn_continue"}) {
    text += std::string("int ") + f + "(void);\n";
  }
  if (plan.options.unload) text += "int cnn_unload(uint32_t *out_buf);\n";
  text +=
      "int cnn_boost_enable(mxc_gpio_regs_t *port, uint32_t pin);\n"
      "int cnn_boost_disable(mxc_gpio_regs_t *port, uint32_t pin);\n\n"
      "// Accelerator memory takes words only.\n"
      "void memcpy32(uint32_t *dst, const uint32_t *src, int n);\n"
      "void memcpy32_const(uint32_t *dst, int n);\n\n#endif\n";
  return text;
}

}  // namespace edgetwin::max78
