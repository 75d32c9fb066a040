// --top-level None: the accelerator without a core. Source: specification "rtl" 11; the vendor's
// own form does not work, so this is what it was meant to be.
#include <algorithm>
#include <charconv>

#include "targets/max78/place/region.h"
#include "targets/max78/rtl/rtl_parts.h"

namespace edgetwin::max78 {
namespace {

using Kind = Access::Kind;

std::string digits_of(uint64_t value, size_t n) {
  std::string text;
  do {
    text.insert(text.begin(), "0123456789abcdef"[value & 15U]);
    value >>= 4;
  } while (value != 0 || text.size() < n);
  return text;
}

// Pairs of lines: an address, then the word there.
class WordList {
 public:
  void add(uint32_t address, uint32_t value) {
    line(address);
    line(value);
  }
  void add(const Run& run) {
    uint32_t at = run.address;
    for (const uint32_t w : run.words) {
      add(at, w & run.mask);
      at += 4;
    }
  }
  const std::string& text() const { return text_; }
  uint64_t lines() const { return lines_; }

 private:
  void line(uint32_t word) {
    text_ += "@" + digits_of(lines_++, 4) + " " + digits_of(word, 8) + "\n";
  }

  std::string text_;
  uint64_t lines_ = 0;
};

Result<WordList> written_words(const Program& program) {
  WordList words;
  for (const Function& f : program.functions) {
    // The run file waits for the end.
    const bool ends = &f == &program.functions.back();
    for (const Access& a : f.accesses) {
      if (ends && a.kind == Kind::wait) continue;
      if (a.kind != Kind::write) {
        return Error(ErrorCode::max78_option,
                     "--top-level None has no form for what " + f.name +
                         " does besides writing: it waits for the chip, or changes single bits")
            .with_hint("Take the MAX78000, or another --top-level.");
      }
      words.add({a.address, 0xffffffffU, {a.value}});
      words.add({a.address + 4, 0xffffffffU, a.words});
    }
  }
  return words;
}

std::string block_run_file(const Plan& plan, uint64_t lines, int64_t timeout) {
  const RtlOptions& o = plan.options.rtl;
  const std::string count = std::to_string(lines);
  return "// Run of a network on the accelerator alone; time-out " + std::to_string(timeout) +
         " ms\n\ndefparam REPEAT_TIMEOUT = " + std::to_string(timeout / 10) + "." +
         std::to_string(timeout % 10) + ";\n\n" + rtl_paths(plan) +
         "\nreg [31:0] words [0:" + std::to_string(lines - 1) +
         "];\nreal started, ended, first_edge, period;\ninteger word, cycles;\n\n"
         "// Addresses and words take turns.\ninitial begin\n  $readmemh({`TARGET_DIR,\"/" +
         o.input + ".mem\"}, words);\n  for (word = 0; word < " + count +
         "; word = word + 2) write_cnn(words[word], words[word + 1]);\nend\n\n"
         "initial begin\n  @(posedge `CNN_ENA);\n  started = $realtime;\n"
         "  @(negedge `CNN_ENA);\n  #10 ended = $realtime;\n"
         "  @(posedge `CNN_CLK) first_edge = $realtime;\n"
         "  @(posedge `CNN_CLK) period = $realtime - first_edge;\n"
         "  cycles = $ceil((ended - started) / period) - 1;\n"
         "  $display(\"accelerator cycles: %0d\", cycles);\nend\n";
}

// "@NNNN XXXXXXXX": the word; false for anything else.
bool read_word(std::string_view line, uint64_t number, uint32_t& word) {
  if (!line.starts_with("@")) return false;
  line.remove_prefix(1);
  uint64_t n = 0;
  const char* const end = line.data() + line.size();
  const auto [stop, error] = std::from_chars(line.data(), end, n, 16);
  if (error != std::errc() || n != number || end - stop != 9 || *stop != ' ') return false;
  const auto [last, failed] = std::from_chars(stop + 1, end, word, 16);
  return failed == std::errc() && last == end;
}

}  // namespace

Result<std::vector<ProjectFile>> rtl_block_files(const Plan& plan, const Program& program,
                                                 const std::vector<Tensor>& outputs,
                                                 int64_t timeout) {
  const Options& o = plan.options;
  EDGETWIN_TRY_ASSIGN(const WordList input, written_words(program));
  std::vector<ProjectFile> files = {{o.rtl.input + ".mem", input.text()}};
  const std::vector<int> layers = output_layers(plan);
  for (size_t k = 0; o.kat && k < layers.size() && k < outputs.size(); ++k) {
    WordList words;
    for (const auto& s : rtl_layer_answer(plan, layers[k], outputs[k]).steps) words.add(s.run);
    const bool last = layers[k] == plan.last;
    files.push_back(
        {o.rtl.output + (last ? "" : "-" + std::to_string(layers[k])) + ".mem", words.text()});
  }
  files.push_back({o.rtl.run_file, block_run_file(plan, input.lines(), timeout)});
  return files;
}

Result<Function> read_block_words(const ProjectFile& file) {
  Function f{file.name, {}};
  std::string_view rest = file.text;
  for (uint64_t n = 0; !rest.empty(); ++n) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    uint32_t word = 0;
    if (!read_word(rest.substr(0, end), n, word)) {
      Error e(ErrorCode::max78_program_text,
              "a line is not `@NUMBER WORD`, where numbers count the lines");
      e.place.file = file.name;
      e.place.line = static_cast<int>(n) + 1;
      return e;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (n % 2 == 0) {
      f.accesses.push_back({.kind = Kind::write, .address = word});
    } else {
      f.accesses.back().value = word;
    }
  }
  return f;
}

}  // namespace edgetwin::max78
