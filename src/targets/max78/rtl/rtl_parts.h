// Parts of make_rtl.
#pragma once

#include <string>
#include <vector>

#include "targets/max78/rtl/rtl.h"

namespace edgetwin::max78 {

// The input as the program writes it: where words go.
Function rtl_input(const Plan& plan, const Tensor& sample);
// All functions in the order of execution.
Program rtl_program(const Plan& plan, const Tensor& sample);
RtlAnswer rtl_answer(const Plan& plan, const std::vector<Tensor>& outputs);
// The words of one output layer.
RtlAnswer rtl_layer_answer(const Plan& plan, int layer, const Tensor& out);
// Names of the hierarchy that every run file has.
std::string rtl_paths(const Plan& plan);
std::string rtl_folder_name(const Plan& plan, const std::string& prefix);
// A name that is too long beside `directory` characters of its parent: cut, with the MD5 of the
// whole.
std::string rtl_short_name(const std::string& name, size_t directory);
// data/, masks/ and data-expected/.
std::vector<ProjectFile> rtl_memories(const Plan& plan, const Tensor& sample,
                                      const RtlAnswer& answer);
int64_t rtl_timeout(const Plan& plan, const Program& program, const RtlAnswer& answer);
std::string rtl_run_file(const Plan& plan, int64_t timeout);
// --top-level None: the words that are written, those that are expected, and the run file that
// plays the first. Errors: max78_option where the program does more than write.
Result<std::vector<ProjectFile>> rtl_block_files(const Plan& plan, const Program& program,
                                                 const std::vector<Tensor>& outputs,
                                                 int64_t timeout);
// The words of a file of them as accesses.
Result<Function> read_block_words(const ProjectFile& file);
// test.c, with --riscv test_riscv.c beside it.
std::vector<ProjectFile> rtl_sources(const Plan& plan, const Program& program,
                                     const RtlAnswer& answer);
// Builds the program and compares what the simulator dumped.
std::vector<ProjectFile> rtl_build_files(const Plan& plan);

// C text: a line of a function, a word of memory, an access (empty where C has nothing to say).
std::string rtl_line(const std::string& text);
std::string rtl_memory(uint32_t address);
std::string rtl_statement(const Access& access);
// The headers that a program of the simulated core includes; `network`: those of its data too.
std::string rtl_includes(const Plan& plan, bool network);
// main() of the core that runs the network.
std::string rtl_main(const Plan& plan, const Program& program);
// The Arm core's program that starts the RISC-V core.
std::string rtl_wrapper(const Plan& plan);

// Input in arrays and a load_input of its own.
bool rtl_has_input_function(const Plan& plan);

}  // namespace edgetwin::max78
