// Parts of make_project.
#pragma once

#include <string>
#include <vector>

#include "targets/max78/generate/generate.h"
#include "targets/max78/project/project.h"

namespace edgetwin::max78 {

// A preprocessor macro with the elements of an array, `per_line` of them on a line.
std::string array_macro(const std::string& name, const std::vector<uint32_t>& values,
                        int per_line = 8, int digits = 8);
std::string hex_text(uint32_t value, int digits = 8);  // 0x0000abcd

// Words of KERNELS: address, length, words, ..., 0; or one array per processor of the older loader.
struct KernelArray {
  std::string name;
  uint32_t byte_address = 0;  // older loader: where the starting column is set; 0: it is not
  uint32_t address = 0;
  std::vector<uint32_t> words = {};
};
std::vector<KernelArray> kernel_arrays(const Plan& plan, const Function& load_weights);

// The functions of a program by their roles; nullptr: it has none of the name.
struct ProgramParts {
  explicit ProgramParts(const Program& program);
  bool complete() const;

  const Function* init;
  const Function* load_weights;
  const Function* configure;
  const Function* start;
  const Function* load_input;
  const Function* interrupt;  // the last one
};

std::string weights_header(const Plan& plan, const std::vector<KernelArray>& kernels);
std::string sample_header(const Plan& plan, const Function& load_input);
std::string answer_header(const std::vector<Run>& expected);

std::string cnn_source(const Plan& plan, const ProgramParts& program,
                       const std::vector<KernelArray>& kernels);
std::string cnn_header(const Plan& plan);
std::string unload_function(const Plan& plan);
std::string power_functions(const Plan& plan);
std::string softmax_source();

// Of main(): clocks and power, up to the title; and one inference, with its input.
std::string main_begin(const Plan& plan, const ProjectOptions& options);
std::string inference_lines(const Plan& plan);

// main.c, or main_riscv.c where the network runs on the RISC-V core.
std::string main_source(const Plan& plan, const Function& load_input,
                        const ProjectOptions& options);
// main.c of the Arm core that only starts the RISC-V core.
std::string wrapper_source(const Plan& plan, const ProjectOptions& options);

// Parts of it: load_input() with its arrays; check_output(); what takes the results.
std::string input_function(const Plan& plan, const Function& load_input);
// load_input() of a camera's frame, and its bytes. Error: max78_option where the words that it
// loads are not those of the program.
Status check_frame(const Plan& plan, const Function& load_input, const Frame& frame);
std::string frame_function(const Plan& plan, const Function& load_input, const Frame& frame);
std::string frame_header(const Frame& frame);
std::string check_function();
std::string result_functions(const Plan& plan);

// Makefile, project.mk and the debugger's launch file.
std::vector<ProjectFile> build_files(const Plan& plan, const ProjectOptions& options);

}  // namespace edgetwin::max78
