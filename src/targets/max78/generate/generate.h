// From a plan to its register program, its known answer, and what the unload function reads.
// Source: specification "registers" 5, "memory" 3 to 6.
#pragma once

#include <vector>

#include "base/result.h"
#include "targets/max78/place/plan.h"
#include "targets/max78/program/program.h"
#include "tensor/tensor.h"

namespace edgetwin::max78 {

// --synthesize-input: every block of pixels after the first is the one before it plus the addend,
// as words of the FIFO. Error: max78_option where channels or blocks do not suit.
Status synthesize(Tensor& sample, const Options& options);

// The whole program of a plan that fits. `sample`: int8 of the plan's shape. Error: max78_sample.
Result<Program> make_program(const Plan& plan, const Tensor& sample);

// Its parts.
Function cnn_init(const Plan& plan);
Function cnn_load_weights(const Plan& plan);
Function cnn_load_bias(const Plan& plan);
Function cnn_configure(const Plan& plan);
Function cnn_start(const Plan& plan);
Function load_input(const Plan& plan, const Tensor& sample);
Function interrupt(const Plan& plan);

// What the known-answer test expects, sorted by mask and address.
std::vector<Run> expected_words(const Plan& plan, const std::vector<Tensor>& outputs);

std::vector<UnloadAccess> unload_accesses(const Plan& plan);

// All that a network becomes for the chip, made once: to be written as text or as a project.
struct CompiledNetwork {
  Program program;
  std::vector<Run> expected;         // empty without a known-answer test
  std::vector<UnloadAccess> unload;  // in the order of cnn_unload
};

// `outputs`: the results of output_layers(plan), (channels, rows, columns), from a simulation of
// the same sample. Errors: those of make_program.
Result<CompiledNetwork> compile(const Plan& plan, const Tensor& sample,
                                const std::vector<Tensor>& outputs);

}  // namespace edgetwin::max78
