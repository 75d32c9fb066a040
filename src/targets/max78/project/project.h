// The C project for a network: the vendor's files, functions and array formats, in words of our
// own. Source: specification "codegen" 1 to 7.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "targets/max78/network/plan.h"
#include "tensor/tensor.h"

namespace edgetwin::max78 {

struct ProjectFile {
  std::string name;  // with folders, "/" between them
  std::string text;
};

struct ProjectOptions {
  std::string name = "network";  // of the project
  std::string board = "EvKit_V1";
};

// `outputs`: the results of output_layers(plan), (channels, rows, columns), from a simulation of
// the same sample. Errors: those of make_program.
Result<std::vector<ProjectFile>> make_project(const Plan& plan, const Tensor& sample,
                                              const std::vector<Tensor>& outputs,
                                              const ProjectOptions& options);

}  // namespace edgetwin::max78
