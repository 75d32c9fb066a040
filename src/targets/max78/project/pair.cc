#include "targets/max78/project/pair.h"

#include <algorithm>
#include <array>
#include <set>

#include "targets/max78/chip/regs.h"
#include "targets/max78/project/project_parts.h"

namespace edgetwin::max78 {
namespace {

// What every network's files define, and so has the network's name in front.
constexpr std::array kOwnStarts = {"cnn_",  "CNN_",  "SAMPLE_", "KERNELS", "kernels",
                                   "BIAS_", "bias_", "input_",  "ml_"};
constexpr std::array kOwnNames = {"load_input",    "check_output", "sample_output",
                                  "softmax_layer", "frame",        "fail",
                                  "run_network",   "stop_network", "class_names"};
constexpr std::array kCommon = {"CNN_OK", "CNN_FAIL", "CNN_IRQn", "CNN_START", "CNN_COMPLETE"};

bool is_own(const std::string& word) {
  const auto same = [&](const char* name) { return word == name; };
  const auto starts = [&](const char* start) { return word.starts_with(start); };
  if (std::ranges::any_of(kCommon, same)) return false;
  return std::ranges::any_of(kOwnNames, same) || std::ranges::any_of(kOwnStarts, starts);
}

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The words of C in `text` that belong to the network, with its name.
std::string with_name(const std::string& text, const std::string& name) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (!in_word(text[i])) {
      out += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && in_word(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    const bool copies = word == "memcpy32" || word == "memcpy_8to32" || word == "clear32";
    out += copies ? word + "_" + name : is_own(word) ? name + "_" + word : word;
    i = end;
  }
  return out;
}

uint32_t control_address(const Plan& plan, int group) {
  return address(*plan.chip, GlobalReg::ctl, group);
}

// The control word of each group as cnn_init leaves it: the group does not compute.
std::vector<Access> stop_accesses(const Plan& plan, const Function& init) {
  std::vector<Access> stops;
  for (const int g : plan.groups) {
    uint32_t value = 0;
    for (const Access& a : init.accesses) {
      if (a.kind == Access::Kind::write && a.address == control_address(plan, g)) value = a.value;
    }
    stops.push_back({.address = control_address(plan, g), .value = value});
  }
  return stops;
}

// Known words that are compared before the next network runs.
Function checks_of(const std::vector<Run>& expected) {
  Function f{"check_output", {}};
  for (const Run& r : expected) {
    for (size_t i = 0; i < r.words.size(); ++i) {
      f.accesses.push_back({.kind = Access::Kind::check,
                            .address = r.address + 4 * static_cast<uint32_t>(i),
                            .value = r.words[i] & r.mask,
                            .mask = r.mask});
    }
  }
  return f;
}

void add(Program& program, const std::string& name, const Function& f) {
  program.functions.push_back({name + "_" + f.name, f.accesses});
}

Program program_of_both(const PairPart& a, const PairPart& b, PairMemory memory) {
  Program program;
  const bool divided = memory == PairMemory::divided;
  for (const Function& f : a.compiled->program.functions) {
    add(program, a.name, f);
    if (f.name == "cnn_load_weights" && divided) {
      add(program, b.name, *b.compiled->program.find("cnn_load_weights"));
    }
  }
  add(program, a.name, checks_of(a.compiled->expected));
  const Function& init = *a.compiled->program.find("cnn_init");
  add(program, a.name, {"stop_network", stop_accesses(*a.plan, init)});
  for (const Function& f : b.compiled->program.functions) {
    if (f.name == "cnn_load_weights" && divided) continue;
    add(program, b.name, f);
  }
  return program;
}

std::string run_function(const PairPart& part, const ProgramParts& parts, PairMemory memory) {
  const Plan& plan = *part.plan;
  std::string text =
      "// The network once: its sample, checked against the known answer.\nint run_network(void)\n"
      "{\n  NVIC_SetVector(CNN_IRQn, CNN_ISR);\n  cnn_init();\n";
  if (memory == PairMemory::shared) text += "  cnn_load_weights();\n";
  text += "  cnn_load_bias();\n  cnn_configure();\n" + inference_lines(plan) +
          "  if (check_output() != CNN_OK) return CNN_FAIL;\n  stop_network();\n"
          "  return CNN_OK;\n}\n";
  std::string stop = "// Its groups compute no longer.\nstatic void stop_network(void)\n{\n";
  for (const Access& a : stop_accesses(plan, *parts.init)) {
    stop += "  *((volatile uint32_t *) " + hex_text(a.address) + ") = " + hex_text(a.value) + ";\n";
  }
  return stop + "}\n\n" + text;
}

// NAME.c, NAME_cnn.c, and their headers.
std::vector<ProjectFile> files_of(const PairPart& part, PairMemory memory) {
  const Plan& plan = *part.plan;
  const ProgramParts parts(part.compiled->program);
  const std::vector<KernelArray> kernels = kernel_arrays(plan, *parts.load_weights);
  const Function& input = *parts.load_input;
  std::string unit = "// " + part.name +
                     ": its input, its run and its known answer.\n#include <stdlib.h>\n#include "
                     "<stdint.h>\n#include <string.h>\n#include <stdio.h>\n#include \"mxc.h\"\n"
                     "#include \"cnn.h\"\n#include \"sampledata.h\"\n#include \"sampleoutput.h\"\n"
                     "\nvolatile uint32_t cnn_time;\nvoid CNN_ISR(void);\n\n";
  unit += part.frame != nullptr ? frame_function(plan, input, *part.frame)
                                : input_function(plan, input);
  unit += check_function() + run_function(part, parts, memory);
  const std::vector<ProjectFile> own = {
      {"cnn.c", cnn_source(plan, parts, kernels)},
      {"cnn.h", cnn_header(plan)},
      {"weights.h", weights_header(plan, kernels)},
      {"sampledata.h",
       part.frame != nullptr ? frame_header(*part.frame) : sample_header(plan, input)},
      {"sampleoutput.h", answer_header(part.compiled->expected)},
      {"run.c", unit}};
  std::vector<ProjectFile> files;
  for (const ProjectFile& f : own) {
    std::string text = with_name(f.text, part.name);
    for (const char* header : {"cnn.h", "weights.h", "sampledata.h", "sampleoutput.h"}) {
      const std::string include = "#include \"" + std::string(header) + "\"";
      const size_t at = text.find(include);
      if (at == std::string::npos) continue;
      text.replace(at, include.size(), "#include \"" + part.name + "_" + header + "\"");
    }
    files.push_back({part.name + "_" + f.name, std::move(text)});
  }
  return files;
}

std::string main_of_both(const PairPart& a, const PairPart& b, PairMemory memory,
                         const ProjectOptions& options) {
  Plan powered = *a.plan;
  std::set<int> groups(a.plan->groups.begin(), a.plan->groups.end());
  groups.insert(b.plan->groups.begin(), b.plan->groups.end());
  powered.groups.assign(groups.begin(), groups.end());
  std::string power = power_functions(powered);
  const std::string vector = "  NVIC_SetVector(CNN_IRQn, CNN_ISR);\n";
  if (const size_t at = power.find(vector); at != std::string::npos) power.erase(at, vector.size());
  std::string text = "// " + options.name + ": " + a.name + " and " + b.name +
                     ", one after the other.\n#include <stdint.h>\n#include <stdio.h>\n"
                     "#include \"mxc.h\"\n#include \"gcfr_regs.h\"\n\n#define CNN_FAIL 0\n"
                     "#define CNN_OK 1\n\n";
  std::string loads, runs;
  for (const PairPart* part : {&a, &b}) {
    text += "int " + part->name + "_cnn_load_weights(void);\nint " + part->name +
            "_run_network(void);\n";
    if (memory == PairMemory::divided) loads += "  " + part->name + "_cnn_load_weights();\n";
    runs += "  if (" + part->name + "_run_network() != CNN_OK) {\n    printf(\"\\n*** FAIL *** " +
            part->name + "\\n\\n\");\n    while (1) { }\n  }\n  printf(\"" + part->name +
            ": equal\\n\");\n";
  }
  const std::string init =
      memory == PairMemory::divided
          ? "  // Kernels of both rest beside each other.\n  " + a.name + "_cnn_init();\n" + loads
          : "";
  if (!init.empty()) text += "int " + a.name + "_cnn_init(void);\n";
  return text + "\n" + power + "\nint main(void)\n{\n" + main_begin(*a.plan, options) + init +
         runs + "\n  printf(\"\\n*** PASS ***\\n\\n\");\n  cnn_disable();\n\n  return 0;\n}\n";
}

Status check_part(const PairPart& part) {
  const Options& o = part.plan->options;
  const auto refuse = [&](const std::string& option) {
    return Error(ErrorCode::max78_option,
                 option + " needs the program for one network: two networks cannot have it")
        .with_hint("Leave it out, or compile each network alone.");
  };
  if (o.riscv) return refuse("--riscv");
  if (o.energy) return refuse("--energy");
  if (o.forever) return refuse("--forever");
  if (o.one_shot) return refuse("--one-shot");
  if (o.softmax) return refuse("--softmax");
  if (o.rtl.on) return refuse("--rtl");
  if (!o.kat) return refuse("--no-kat");
  const FileNames usual;
  if (o.files.weights != usual.weights || o.files.sample != usual.sample ||
      o.files.answer != usual.answer || o.files.api != usual.api) {
    return refuse("another name of a file");
  }
  if (!ProgramParts(part.compiled->program).complete()) {
    return Error(ErrorCode::max78_rules, "the program lacks a function of the accelerator");
  }
  return Ok{};
}

}  // namespace

int kernel_columns_of(const Plan& plan) {
  size_t columns = 0;
  for (const Plan::KernelMemory& m : plan.kernels) {
    for (size_t c = 0; c < m.used.size(); ++c) {
      if (m.used[c]) columns = std::max(columns, c + 1);
    }
  }
  return static_cast<int>(columns);
}

Result<Pair> make_pair(const PairPart& first, const PairPart& second, PairMemory memory,
                       const ProjectOptions& options) {
  if (first.plan->chip != second.plan->chip) {
    return Error(ErrorCode::max78_option, "the networks are for different chips");
  }
  for (const PairPart* part : {&first, &second}) {
    EDGETWIN_TRY(check_part(*part));
    if (part->frame == nullptr) continue;
    EDGETWIN_TRY(
        check_frame(*part->plan, *part->compiled->program.find("load_input"), *part->frame));
  }
  Pair pair;
  pair.program = program_of_both(first, second, memory);
  pair.expected = second.compiled->expected;
  for (ProjectFile& f : build_files(*first.plan, options)) {
    const std::string& names = first.plan->options.files.main;
    const size_t at = f.text.find("SRCS += " + names);
    const size_t end = f.text.find('\n', at);
    if (at != std::string::npos) {
      f.text.replace(at, end - at,
                     "SRCS += " + names + " " + first.name + "_run.c " + first.name + "_cnn.c " +
                         second.name + "_run.c " + second.name + "_cnn.c");
    }
    pair.files.push_back(std::move(f));
  }
  for (const PairPart* part : {&first, &second}) {
    for (ProjectFile& f : files_of(*part, memory)) pair.files.push_back(std::move(f));
  }
  pair.files.push_back(
      {first.plan->options.files.main, main_of_both(first, second, memory, options)});
  return pair;
}

}  // namespace edgetwin::max78
