// weights.h, sampledata.h, sampleoutput.h. Source: specification "codegen" 2.
#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {

namespace {

// At most eight digits.
void append_hex(std::string& text, uint32_t value, int digits) {
  char hex[10] = {'0', 'x'};
  for (int i = 0; i < digits; ++i) {
    hex[2 + i] = "0123456789abcdef"[(value >> (4 * (digits - 1 - i))) & 15U];
  }
  text.append(hex, static_cast<size_t>(digits) + 2);
}

}  // namespace

std::string hex_text(uint32_t value, int digits) {
  std::string text;
  append_hex(text, value, digits);
  return text;
}

std::string array_macro(const std::string& name, const std::vector<uint32_t>& values, int per_line,
                        int digits) {
  std::string text = "#define " + name + " { \\\n  ";
  text.reserve(text.size() + values.size() * (static_cast<size_t>(digits) + 5) + 16);
  for (size_t i = 0; i < values.size(); ++i) {
    append_hex(text, values[i], digits);
    if (i + 1 == values.size()) break;
    text += (i + 1) % static_cast<size_t>(per_line) == 0 ? ", \\\n  " : ", ";
  }
  return text + " \\\n}\n";
}

ProgramParts::ProgramParts(const Program& program)
    : init(program.find("cnn_init")),
      load_weights(program.find("cnn_load_weights")),
      configure(program.find("cnn_configure")),
      start(program.find("cnn_start")),
      load_input(program.find("load_input")),
      interrupt(program.functions.empty() ? nullptr : &program.functions.back()) {}

bool ProgramParts::complete() const {
  return init != nullptr && load_weights != nullptr && configure != nullptr && start != nullptr &&
         load_input != nullptr && interrupt != nullptr;
}

std::vector<KernelArray> kernel_arrays(const Plan& plan, const Function& f) {
  std::vector<KernelArray> arrays;
  bool calcx4 = false;
  for (const int i : plan.order) calcx4 = calcx4 || plan.layer(i).yaml->calcx4;
  const bool one = plan.options.new_kernel_loader || calcx4;
  if (one && !f.accesses.empty()) arrays.push_back({.name = "KERNELS"});
  uint32_t byte_address = 0;
  for (const Access& a : f.accesses) {
    if (a.kind == Access::Kind::write_byte) {
      byte_address = a.address;
      continue;
    }
    std::vector<uint32_t> words{a.value};
    words.insert(words.end(), a.words.begin(), a.words.end());
    if (!one) {
      arrays.push_back(
          {"KERNELS_" + std::to_string(arrays.size()), byte_address, a.address, words});
      continue;
    }
    auto& all = arrays.front().words;
    all.push_back(a.address);
    all.push_back(static_cast<uint32_t>(words.size()));
    all.insert(all.end(), words.begin(), words.end());
  }
  if (one && !arrays.empty()) arrays.front().words.push_back(0);
  return arrays;
}

std::string weights_header(const Plan& plan, const std::vector<KernelArray>& kernels) {
  std::string text = "// Biases and kernels of the network.\n\n";
  for (size_t g = 0; g < plan.biases.size(); ++g) {
    const auto& biases = plan.biases[g];
    if (biases.empty()) continue;
    text += array_macro("BIAS_" + std::to_string(g), {biases.begin(), biases.end()}, 16, 2) + "\n";
  }
  for (const KernelArray& a : kernels) text += array_macro(a.name, a.words) + "\n";
  return text;
}

std::string sample_header(const Plan& plan, const Function& load_input) {
  std::string text = "// The sample that the known-answer test uses.\n\n";
  if (plan.options.use_fifo()) {
    const Access& fifo = load_input.accesses.back();
    const size_t lists = fifo.addresses.size();
    // Of a synthesized sample the program makes all blocks but the first.
    const size_t words_of_list = plan.options.synthesize_input
                                     ? static_cast<size_t>(plan.options.synthesize_words)
                                     : fifo.words.size();
    for (size_t n = 0; n < lists; ++n) {
      std::vector<uint32_t> words;
      for (size_t i = n; i < fifo.words.size() && words.size() < words_of_list; i += lists)
        words.push_back(fifo.words[i]);
      text += array_macro("SAMPLE_INPUT_" + std::to_string(n), words) + "\n";
    }
    return text;
  }
  int n = 0;
  for (const Access& a : load_input.accesses) {
    std::vector<uint32_t> words{a.value};
    words.insert(words.end(), a.words.begin(), a.words.end());
    text += array_macro("SAMPLE_INPUT_" + std::to_string(n++), words) + "\n";
  }
  return text;
}

std::string answer_header(const std::vector<Run>& expected) {
  std::vector<uint32_t> words;
  for (const Run& r : expected) {
    words.push_back(r.address);
    words.push_back(r.mask);
    words.push_back(static_cast<uint32_t>(r.words.size()));
    words.insert(words.end(), r.words.begin(), r.words.end());
  }
  words.push_back(0);
  return "// What memory holds after the sample: address, mask, count, values, ..., 0.\n\n" +
         array_macro("SAMPLE_OUTPUT", words);
}

}  // namespace edgetwin::max78
