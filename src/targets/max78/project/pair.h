// Two networks in one program of a chip, one after the other: the accelerator stays on, and each
// has its own functions, files and known answer under its name.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/project/project.h"

namespace edgetwin::max78 {

enum class PairMemory : uint8_t {
  divided,  // the kernels of both rest beside each other and are loaded once
  shared    // each network's kernels take the other's place before it runs
};

struct PairPart {
  std::string name;  // letters, digits and _, in front of its functions and files
  const Plan* plan = nullptr;
  const CompiledNetwork* compiled = nullptr;
  const Frame* frame = nullptr;  // as of ProjectOptions
};

struct Pair {
  // Of both, with checks of the first one's known answer in between; `expected` is the second's.
  Program program;
  std::vector<Run> expected;
  std::vector<ProjectFile> files;
};

// Kernel columns that a network takes, from 0 on: --weight-start of the one that follows it.
int kernel_columns_of(const Plan& plan);

// Both were made with write_zero_registers, so that nothing of the first one's registers is left.
// Errors: max78_option where the networks are for different chips or have options that need the
// program for themselves; max78_rules as of make_project(), or where kernels lie over each other.
Result<Pair> make_pair(const PairPart& first, const PairPart& second, PairMemory memory,
                       const ProjectOptions& options);

}  // namespace edgetwin::max78
