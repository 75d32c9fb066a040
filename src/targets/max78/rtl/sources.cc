// The C program of the simulated core. Source: specification "rtl" 4.
#include "targets/max78/chip/regs.h"
#include "targets/max78/project/project_parts.h"
#include "targets/max78/rtl/camera.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

class Source {
 public:
  Source(const Plan& plan, const Program& program, const RtlAnswer& answer)
      : plan_(plan), o_(plan.options), program_(program), answer_(answer) {}

  std::string network() const {
    std::string text = head() + "#define CNN_OK 1\n#define CNN_FAIL 0\n\n";
    text += plan_.small() ? plain("cnn_wait") : plain(program_.functions.back().name);
    if (o_.one_shot || o_.rtl.stop_start) {
      text += function("cnn_continue", rtl_memory(control()) + " |= 0x00000001;");
      text += function("cnn_stop", rtl_memory(control()) + " &= 0xfffffffe;");
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
    return text + rtl_main(plan_, program_);
  }

 private:
  uint32_t control() const { return address(*plan_.chip, GlobalReg::ctl, plan_.groups.front()); }
  bool camera() const { return !o_.rtl.camera.csv.empty(); }
  bool has_input() const { return program_.find("load_input") != nullptr; }
  bool copies() const { return has_input() || (o_.mexpress && !o_.rtl.preload_weights); }

  std::string head() const {
    return "// A network as a test of the simulated chip.\n" + rtl_includes(plan_, true) + "\n";
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
    if (camera()) return camera_input_c(plan_, f.accesses.front());
    std::string arrays, body;
    if (!o_.use_fifo()) {
      for (size_t n = 0; n < f.accesses.size(); ++n) {
        const std::string name = "input_" + std::to_string(n);
        arrays +=
            "static const uint32_t " + name + "[] = SAMPLE_INPUT_" + std::to_string(n) + ";\n";
        body +=
            rtl_line("memcpy32((volatile uint32_t *) " + hex_text(f.accesses[n].address) + ", " +
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
      text += "    while ((" + rtl_memory((fast ? kFastFifoBase : kFifoBase) + 4) + " & " +
              hex_text(full) + ") != 0) ;\n";
    }
    std::string value = name + "[i]";
    if (o_.synthesize_input) {
      const std::string block = std::to_string(o_.synthesize_words);
      value = name + "[i % " + block + "] + (uint32_t) (i / " + block + ") * " +
              hex_text(static_cast<uint32_t>(*o_.synthesize_input));
    }
    text += "    " + rtl_memory(fifo.addresses[n]) + " = " + value + ";\n";
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
      if (f.name == "load_input" && input) text += rtl_line("load_input();");
      if (f.name != "cnn_configure") continue;
      for (size_t i = 0; i < f.accesses.size(); ++i) {
        const Access& a = f.accesses[i];
        if (a.kind == Kind::poll) {
          text += full_wait(a, f.accesses[i + 1]);
        } else {
          text += rtl_line(rtl_statement(a));
        }
      }
    }
    return text + "  return CNN_OK;\n}\n\n";
  }

  std::string full_wait(const Access& poll, const Access& write) const {
    const uint32_t full = o_.use_fast_fifo() ? 2U : 1U << ((write.address - kFifoBase - 8) / 4);
    return rtl_line("while ((" + rtl_memory(poll.address) + " & " + hex_text(full) + ") != 0) ;");
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
        text += rtl_line(rtl_statement(s.access));
        continue;
      }
      for (size_t i = 0; i < s.run.words.size(); ++i) {
        text += rtl_line(rtl_statement({.kind = Kind::check,
                                        .address = s.run.address + 4 * static_cast<uint32_t>(i),
                                        .value = s.run.words[i],
                                        .mask = s.run.mask}));
      }
    }
    return text + "  return CNN_OK;\n}\n\n";
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
    files.push_back({o.files.main, rtl_wrapper(plan)});
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
    const bool none = input == nullptr || !o.rtl.camera.csv.empty();
    files.push_back({o.files.sample, none ? "" : sample_header(plan, *input)});
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

}  // namespace edgetwin::max78
