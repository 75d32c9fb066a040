// The C program of the simulated core. Source: specification "rtl" 4.
#include "targets/max78/chip/regs.h"
#include "targets/max78/project/project_parts.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

std::string memory(uint32_t address) {
  return "*((volatile uint32_t *) " + hex_text(address) + ")";
}

std::string rtl_statement(const Access& a) {
  switch (a.kind) {
    case Kind::write:
      return memory(a.address) + " = " + hex_text(a.value) + ";";
    case Kind::write_byte:
      return "*((volatile uint8_t *) " + hex_text(a.address) + ") = " + hex_text(a.value, 2) + ";";
    case Kind::set_bits:
      return memory(a.address) + " |= " + hex_text(a.value) + ";";
    case Kind::keep_bits:
      return memory(a.address) + " &= " + hex_text(a.value) + ";";
    case Kind::wait:
      return "while ((" + memory(a.address) + " & " + hex_text(a.mask) +
             ") != " + hex_text(a.value) + ") ;";
    case Kind::check:
      return a.mask == 0xffffffffU
                 ? "if (" + memory(a.address) + " != " + hex_text(a.value) + ") return CNN_FAIL;"
                 : "if ((" + memory(a.address) + " & " + hex_text(a.mask) +
                       ") != " + hex_text(a.value) + ") return CNN_FAIL;";
    case Kind::read:
      return "(void) " + memory(a.address) + ";";
    case Kind::idle:
      return "asm volatile(\"nop\");";
    case Kind::poll:
    case Kind::fifo:
      break;
  }
  return {};
}

class Source {
 public:
  Source(const Plan& plan, const Program& program, const RtlAnswer& answer)
      : plan_(plan), o_(plan.options), program_(program), answer_(answer) {}

  std::string network() const {
    std::string text = head() + "#define CNN_OK 1\n#define CNN_FAIL 0\n\n";
    text += plan_.small() ? plain("cnn_wait") : plain(program_.functions.back().name);
    if (o_.one_shot || o_.rtl.stop_start) {
      text += function("cnn_continue", memory(control()) + " |= 0x00000001;");
      text += function("cnn_stop", memory(control()) + " &= 0xfffffffe;");
    }
    if (copies()) {
      text +=
          "static void memcpy32(volatile uint32_t *dst, const uint32_t *src, int n)\n{\n"
          "  while (n-- > 0)\n    *dst++ = *src++;\n}\n\n";
    }
    const bool input = has_input();
    if (input) text += load_input_function();
    if (!o_.new_kernel_loader) text += weights();
    text += plain("cnn_init");
    if (o_.new_kernel_loader) text += weights();
    text += configure(input);
    if (o_.kat) text += check();
    return text + main();
  }

  // The Arm core that starts the RISC-V core.
  std::string wrapper() const {
    std::string text = "// Starts the RISC-V core, which runs the network.\n" + includes(false) +
                       "\nvoid WakeISR(void)\n{\n" + wake() + "}\n\nint main(void)\n{\n" + clocks();
    if (plan_.small()) text += power_on() + accelerator_clock();
    const bool other = !o_.rtl.cache || !o_.rtl.flash;
    if (plan_.small()) {
      text += line("MXC_NBBFC->reg4 = 0x10001000;");
      text += line("MXC_GCR->perckcn1 &= ~MXC_F_GCR_PERCKCN1_SMPHRD;");
      text += line("NVIC_SetVector(RV32_IRQn, WakeISR);");
      if (o_.riscv_exclusive) text += line("MXC_NBBFC->reg5 |= 1;");
      text += line("MXC_GCR->perckcn1 &= ~MXC_F_GCR_PERCKCN1_CPU1;");
    } else {
      text +=
          line("MXC_FCR->urvbootaddr = " + std::string(other ? "0x2005c000" : "0x10001000") + ";");
      if (o_.riscv_exclusive) text += line("MXC_FCR->urvctrl |= 0x00000001;");
      text += line("MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_SMPHR);");
      text += line("NVIC_SetVector(RISCV_IRQn, WakeISR);");
      text += line("MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_CPU1);");
    }
    return text + line("__WFI();") + line("pass();") + "  return 0;\n}\n";
  }

 private:
  static std::string line(const std::string& text) { return "  " + text + "\n"; }
  uint32_t control() const { return address(*plan_.chip, GlobalReg::ctl, plan_.groups.front()); }
  bool has_input() const { return program_.find("load_input") != nullptr; }
  bool copies() const { return has_input() || (o_.mexpress && !o_.rtl.preload_weights); }

  std::string includes(bool network) const {
    std::string text = plan_.small() ? "" : "#include <assert.h>\n";
    text += "#include <stdlib.h>\n#include <stdint.h>\n";
    if (!plan_.small()) {
      for (const char* name : {"mxc_device", "mxc_delay", "mxc_assert", "mxc_errors", "mxc_lock",
                               "mxc_pins", "mxc_sys", "nvic_table"}) {
        text += "#include \"" + std::string(name) + ".h\"\n";
      }
    }
    text += "#include \"global_functions.h\"\n";
    if (!network) return text;
    if (!o_.rtl.preload_weights) text += "#include \"" + o_.files.weights + "\"\n";
    if (o_.rtl.compact_data) text += "#include \"" + o_.files.sample + "\"\n";
    if (o_.rtl.compact_data && o_.rtl.answer_file_given) {
      text += "#include \"" + o_.files.answer + "\"\n";
    }
    return text;
  }

  std::string head() const {
    return "// A network as a test of the simulated chip.\n" + includes(true) + "\n";
  }

  static std::string function(const std::string& name, const std::string& body) {
    return "int " + name + "(void)\n{\n  " + body + "\n  return CNN_OK;\n}\n\n";
  }

  static std::string statements(const Function& f) {
    std::string text;
    for (const Access& a : f.accesses) {
      if (const std::string s = rtl_statement(a); !s.empty()) text += "  " + s + "\n";
    }
    return text;
  }

  std::string plain(const std::string& name) const {
    const Function* f = program_.find(name);
    const bool handler = name == "CNN_ISR" || name == "CNN_IRQHandler";
    std::string text = (handler ? "void " : "int ") + name + "(void)\n{\n";
    if (f != nullptr) text += statements(*f);
    return text + (handler ? "" : "  return CNN_OK;\n") + "}\n\n";
  }

  std::string weights() const {
    std::string text;
    const Function* f = program_.find("cnn_load_weights");
    if (o_.rtl.verify_kernels) text += plain("cnn_verify_weights");
    if (f == nullptr) {
      text += "int cnn_load_weights(void)\n{\n  return CNN_OK;\n}\n\n";
    } else {
      text += load_weights(kernel_arrays(plan_, *f));
    }
    return text + plain("cnn_load_bias");
  }

  std::string load_weights(const std::vector<KernelArray>& arrays) const {
    if (arrays.empty()) return "int cnn_load_weights(void)\n{\n  return CNN_OK;\n}\n\n";
    std::string text, body;
    if (arrays.front().name == "KERNELS") {
      text = "static const uint32_t kernels[] = KERNELS;\n\n";
      body =
          "  const uint32_t *from = kernels;\n  volatile uint32_t *to;\n  uint32_t n;\n\n"
          "  while ((to = (volatile uint32_t *) from[0]) != 0) {\n";
      if (o_.mexpress) body += "    *((volatile uint8_t *) ((uint32_t) to | 1)) = 0x01;\n";
      body +=
          "    n = from[1];\n    from += 2;\n    while (n-- > 0)\n      *to++ = *from++;\n  }\n";
    }
    for (const KernelArray& a : arrays) {
      if (a.name == "KERNELS") continue;
      const std::string lower = "kernels" + a.name.substr(7);
      text += "static const uint32_t " + lower + "[] = " + a.name + ";\n";
      if (a.byte_address != 0) {
        body += "  *((volatile uint8_t *) " + hex_text(a.byte_address) + ") = 0x01;\n";
      }
      body += "  memcpy32((volatile uint32_t *) " + hex_text(a.address) + ", " + lower + ", " +
              std::to_string(a.words.size()) + ");\n";
    }
    return text + "\nint cnn_load_weights(void)\n{\n" + body + "  return CNN_OK;\n}\n\n";
  }

  std::string load_input_function() const {
    const Function& f = *program_.find("load_input");
    std::string arrays, body;
    if (!o_.use_fifo()) {
      for (size_t n = 0; n < f.accesses.size(); ++n) {
        const std::string name = "input_" + std::to_string(n);
        arrays +=
            "static const uint32_t " + name + "[] = SAMPLE_INPUT_" + std::to_string(n) + ";\n";
        body += line("memcpy32((volatile uint32_t *) " + hex_text(f.accesses[n].address) + ", " +
                     name + ", " + std::to_string(f.accesses[n].words.size() + 1) + ");");
      }
      return arrays + "\nvoid load_input(void)\n{\n" + body + "}\n\n";
    }
    const Access& fifo = f.accesses.back();
    const size_t lists = fifo.addresses.size();
    for (size_t n = 0; n < lists; ++n) {
      arrays += "static const uint32_t input_" + std::to_string(n) + "[] = SAMPLE_INPUT_" +
                std::to_string(n) + ";\n";
    }
    const size_t words = fifo.words.size() / lists;
    body = "  int i, j;\n\n";
    body += "  for (i = 0; i < " + std::to_string(words) + "; i++) {\n";
    for (size_t n = 0; n < lists; ++n) body += fifo_word(fifo, n);
    return arrays + "\nvoid load_input(void)\n{\n" + body + "  }\n  (void) j;\n}\n\n";
  }

  std::string fifo_word(const Access& fifo, size_t n) const {
    const bool fast = o_.use_fast_fifo();
    const uint32_t full = fast ? 2U : 1U << ((fifo.addresses[n] - kFifoBase - 8) / 4);
    const std::string name = "input_" + std::to_string(n);
    std::string text;
    if (o_.fifo_wait) {
      text += "    while ((" + memory((fast ? kFastFifoBase : kFifoBase) + 4) + " & " +
              hex_text(full) + ") != 0) ;\n";
    }
    std::string value = name + "[i]";
    if (o_.synthesize_input) {
      const std::string block = std::to_string(o_.synthesize_words);
      value = name + "[i % " + block + "] + (uint32_t) (i / " + block + ") * " +
              hex_text(static_cast<uint32_t>(*o_.synthesize_input));
    }
    text += "    " + memory(fifo.addresses[n]) + " = " + value + ";\n";
    if (o_.rtl.slow_load > 0) {
      text += "    for (j = 0; j < " + std::to_string(o_.rtl.slow_load) +
              "; j++)\n      asm volatile(\"nop\");\n";
    }
    return text;
  }

  // The parts of cnn_configure, with the call of load_input where it is.
  std::string configure(bool input) const {
    std::string text = "int cnn_configure(void)\n{\n";
    for (const Function& f : program_.functions) {
      if (f.name == "load_input" && input) text += line("load_input();");
      if (f.name != "cnn_configure") continue;
      for (size_t i = 0; i < f.accesses.size(); ++i) {
        const Access& a = f.accesses[i];
        if (a.kind == Kind::poll) {
          text += full_wait(a, f.accesses[i + 1]);
        } else {
          text += line(rtl_statement(a));
        }
      }
    }
    return text + "  return CNN_OK;\n}\n\n";
  }

  std::string full_wait(const Access& poll, const Access& write) const {
    const uint32_t full = o_.use_fast_fifo() ? 2U : 1U << ((write.address - kFifoBase - 8) / 4);
    return line("while ((" + memory(poll.address) + " & " + hex_text(full) + ") != 0) ;");
  }

  std::string check() const {
    std::string text = "int check_output(void)\n{\n";
    if (o_.rtl.result_output) return text + "  return CNN_OK;\n}\n\n";
    if (o_.rtl.compact_data && o_.rtl.answer_file_given) {
      return "static const uint32_t answer[] = SAMPLE_OUTPUT;\n\n" + text +
             "  const uint32_t *from = answer;\n  volatile uint32_t *at;\n  uint32_t mask, n;\n\n"
             "  while ((at = (volatile uint32_t *) *from++) != 0) {\n    mask = *from++;\n"
             "    n = *from++;\n    while (n-- > 0)\n"
             "      if ((*at++ & mask) != *from++) return CNN_FAIL;\n  }\n  return CNN_OK;\n}\n\n";
    }
    for (const RtlAnswer::Step& s : answer_.steps) {
      if (!s.compare) {
        text += line(rtl_statement(s.access));
        continue;
      }
      for (size_t i = 0; i < s.run.words.size(); ++i) {
        text += line(rtl_statement({.kind = Kind::check,
                                    .address = s.run.address + 4 * static_cast<uint32_t>(i),
                                    .value = s.run.words[i],
                                    .mask = s.run.mask}));
      }
    }
    return text + "  return CNN_OK;\n}\n\n";
  }

  std::string power(const char* unit) const {
    uint32_t used = 0;
    for (const int g : plan_.groups) used |= 1U << g;
    const std::string reg = std::string("MXC_") + unit + "->reg";
    return line(reg + "3 = 0xf;") + line(reg + "1 = " + hex_text(used, 1) + ";") +
           line(reg + "0 = " + hex_text(used, 1) + ";") +
           line(reg + "2 = " + hex_text(~used & 0xfU, 1) + ";") + line(reg + "3 = 0x0;");
  }
  std::string power_on() const { return power(plan_.small() ? "BBFC" : "GCFR"); }
  std::string power_off() const {
    const std::string reg = std::string("MXC_") + (plan_.small() ? "BBFC" : "GCFR") + "->reg";
    return line(reg + "3 = 0xf;") + line(reg + "2 |= 0xf;") + line(reg + "0 = 0x0;") +
           line(reg + "1 = 0x0;") + line(reg + "3 = 0x0;");
  }
  bool pll() const { return !plan_.small() && o_.pll.value_or(true); }

  std::string clocks() const {
    std::string text = line("icache_enable();") +
                       line("*((volatile uint32_t *) 0x40000c00) = 0x00000001;") +
                       line("*((volatile uint32_t *) 0x40006c04) = 0x000001a0;") +
                       line("*((volatile uint32_t *) 0x40000c00) = 0x00000000;");
    if (plan_.small()) {
      return text + line("MXC_GCR->clkcn |= MXC_F_GCR_CLKCN_HIRC96M_EN;") +
             line("while ((MXC_GCR->clkcn & MXC_F_GCR_CLKCN_HIRC96M_RDY) == 0) ;") +
             line("MXC_GCR->clkcn |= MXC_S_GCR_CLKCN_CLKSEL_HIRC96;");
    }
    text += line("MXC_GCR->clkctrl |= MXC_F_GCR_CLKCTRL_IPO_EN;");
    if (pll()) text += line("MXC_GCR->ipll_ctrl |= MXC_F_GCR_IPLL_CTRL_EN;");
    return text + line("while ((MXC_GCR->clkctrl & MXC_F_GCR_CLKCTRL_IPO_RDY) == 0) ;") +
           line("MXC_GCR->clkctrl |= MXC_S_GCR_CLKCTRL_SYSCLK_SEL_IPO;");
  }

  std::string divider(int by) const {
    return line(
        "MXC_GCR->pclkdiv = (MXC_GCR->pclkdiv & ~(MXC_F_GCR_PCLKDIV_CNNCLKDIV | "
        "MXC_F_GCR_PCLKDIV_CNNCLKSEL)) | MXC_S_GCR_PCLKDIV_CNNCLKDIV_DIV" +
        std::to_string(by) + " | MXC_S_GCR_PCLKDIV_CNNCLKSEL_" + (pll() ? "IPLL" : "PCLK") + ";");
  }

  std::string accelerator_clock() const {
    if (plan_.small()) {
      return line("MXC_GCR->pckdiv = 0x00010000;") + line("MXC_GCR->perckcn &= ~0x2000000;");
    }
    const std::string locked =
        line("while ((MXC_GCR->ipll_ctrl & MXC_F_GCR_IPLL_CTRL_RDY) == 0) ;");
    return (pll() ? locked + locked : "") + divider(pll() ? 1 : 2) +
           line("MXC_SYS_ClockEnable(MXC_SYS_PERIPH_CLOCK_CNN);");
  }

  std::string sleep() const {
    if (plan_.small()) return line("cnn_wait();");
    if (o_.riscv) return line("asm volatile(\"wfi\");");
    return line("SCB->SCR &= ~SCB_SCR_SLEEPDEEP_Msk;") + line("__WFI();");
  }

  std::string wake() const {
    return plan_.small() ? line("MXC_SEMA->irqr0 = 0;") : line("MXC_SEMA->irq0 = 0;");
  }

  std::string main() const {
    std::string text = "int main(void)\n{\n";
    const int left = plan_.hw_layer(plan_.last) - plan_.hw_layer(plan_.start);
    if (o_.one_shot) text += "  int i;\n\n";
    if (!o_.riscv) {
      text += clocks();
    } else if (plan_.small()) {
      text += line("icache1_enable();") + line("invalidate_icache1();");
    }
    if (!o_.riscv || !plan_.small()) text += power_on() + accelerator_clock();
    if (!plan_.small()) {
      text += o_.riscv ? line("__enable_irq();") + line("NVIC_EnableIRQ(CNN_IRQn);") +
                             line("NVIC_EnableEVENT(CNN_IRQn);")
                       : line("NVIC_SetVector(CNN_IRQn, CNN_ISR);");
    }
    text += line("cnn_init();");
    if (!o_.rtl.preload_weights) text += line("cnn_load_weights();");
    if (o_.rtl.verify_kernels) {
      text += line("if (cnn_verify_weights() != CNN_OK) { fail(); return 0; }");
    }
    if (program_.find("cnn_load_bias") != nullptr) text += line("cnn_load_bias();");
    text += line("if (cnn_configure() != CNN_OK) { fail(); return 0; }");
    if (o_.rtl.stop_start) text += line("cnn_stop();") + line("cnn_continue();");
    text += sleep();
    if (o_.one_shot) {
      text += "  for (i = 0; i < " + std::to_string(left) + "; i++) {\n" + line("cnn_continue();") +
              sleep() + "  }\n";
    }
    if (!plan_.small() && pll()) text += divider(4);
    if (o_.kat) text += line("if (check_output() != CNN_OK) fail();");
    if (!plan_.small()) text += line("MXC_SYS_ClockDisable(MXC_SYS_PERIPH_CLOCK_CNN);");
    text += power_off();
    if (pll()) text += line("MXC_GCR->ipll_ctrl &= ~MXC_F_GCR_IPLL_CTRL_EN;");
    if (o_.riscv) {
      text += plan_.small() ? line(
                                  "MXC_SEMA->irqr0 = MXC_S_SEMA_IRQR_IRQEN_EN | "
                                  "MXC_S_SEMA_IRQR_IRQ_SET;")
                            : line(
                                  "MXC_SEMA->irq0 = MXC_F_SEMA_IRQ0_EN | "
                                  "MXC_F_SEMA_IRQ0_CM4_IRQ;");
    }
    return text + line("pass();") + "  return 0;\n}\n";
  }

  const Plan& plan_;
  const Options& o_;
  const Program& program_;
  const RtlAnswer& answer_;
};

}  // namespace

std::vector<ProjectFile> rtl_sources(const Plan& plan, const Program& program,
                                     const RtlAnswer& answer) {
  const Options& o = plan.options;
  const Source source(plan, program, answer);
  std::vector<ProjectFile> files;
  if (o.riscv) {
    const std::string stem = o.files.main.substr(0, o.files.main.rfind('.'));
    files.push_back({o.files.main, source.wrapper()});
    files.push_back({stem + "_riscv.c", source.network()});
  } else {
    files.push_back({o.files.main, source.network()});
  }
  if (const Function* f = program.find("cnn_load_weights"); f != nullptr) {
    Plan no_biases = plan;  // they stand in the program
    for (auto& b : no_biases.biases) b.clear();
    std::vector<KernelArray> arrays = kernel_arrays(plan, *f);
    if (arrays.empty()) arrays.push_back({.name = "KERNELS", .words = {0}});
    files.push_back({o.files.weights, weights_header(no_biases, arrays)});
  }
  if (o.rtl.compact_data) {
    const Function* input = program.find("load_input");
    files.push_back({o.files.sample, input == nullptr ? "" : sample_header(plan, *input)});
    if (o.rtl.answer_file_given && o.kat) {
      std::vector<Run> runs;
      for (const RtlAnswer::Step& s : answer.steps) {
        if (s.compare) runs.push_back(s.run);
      }
      const bool empty = o.rtl.result_output;
      files.push_back(
          {o.files.answer, empty ? "// The simulator compares memories.\n" : answer_header(runs)});
    }
  }
  return files;
}

std::vector<ProjectFile> rtl_build_files(const Plan& plan) {
  std::vector<ProjectFile> files;
  const std::string stem = plan.options.files.main.substr(0, plan.options.files.main.rfind('.'));
  const auto rules = [&](const std::string& source, const std::string& prog) {
    return "# Builds " + source + " for the simulated core; CROSS and LIBRARY name the tools.\n" +
           prog + ".elf: " + source + "\n\t$(CROSS)gcc -O2 -I$(LIBRARY) -o $@ $< $(LIBRARY)/*.c\n";
  };
  files.push_back({"Makefile.ARM_PROG", rules(stem + ".c", "ARM_PROG")});
  files.push_back({"memfiles_ARM_PROG.def", "ARM_PROG_flash.prog\n"});
  if (plan.options.riscv) {
    files.push_back({"Makefile.RISCV_PROG", rules(stem + "_riscv.c", "RISCV_PROG")});
    files.push_back({"memfiles_RISCV_PROG.def", "RISCV_PROG_flash.prog\n"});
  }
  if (plan.options.rtl.result_output) {
    files.push_back(
        {"verify-output.py",
         "#!/usr/bin/env python3\n"
         "\"\"\"Compares data-output with data-expected; digits X are not compared.\"\"\"\n"
         "import os\nimport sys\n\n"
         "root = sys.argv[1] if len(sys.argv) > 1 else '.'\nwrong = 0\n"
         "want = os.path.join(root, 'data-expected')\n"
         "for name in sorted(os.listdir(want)):\n"
         "    if not name.startswith('DRAM_'):\n        continue\n"
         "    found = {}\n"
         "    path = os.path.join(root, 'data-output', name.replace('DRAM_', 'DRAM_out_', 1))\n"
         "    with open(path) as file:\n"
         "        for line in file:\n"
         "            place, _, value = line.strip().partition(' ')\n"
         "            found[place] = value.lower()\n"
         "    with open(os.path.join(want, name)) as file:\n"
         "        for line in file:\n"
         "            place, _, value = line.strip().partition(' ')\n"
         "            got = found.get(place, '-' * len(value))\n"
         "            if any(a not in ('X', b) for a, b in zip(value, got)):\n"
         "                print(name, place, 'expected', value, 'found', got)\n"
         "                wrong += 1\n"
         "sys.exit(1 if wrong else 0)\n"});
  }
  return files;
}

}  // namespace edgetwin::max78
