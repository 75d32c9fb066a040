// The C sources of a network's firmware or test, executed as far as they reach the accelerator: the
// accesses that the compiled program would make, in their order. It knows the language that the
// loaders write: functions, loops, arrays, pointers into the chip. Calls of functions that are not
// in the sources do nothing; values that they would give are unknown and decide nothing.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "targets/max78/program/program.h"

namespace edgetwin::max78 {

struct CFile {
  std::string name, text;
};

struct CProgram {
  Program program;            // from main() on
  std::vector<Run> expected;  // words that check_output compares, where it does nothing else
  size_t checks = 0;          // comparisons inside the program
};

struct CLimits {
  int64_t tokens = 16'000'000;  // of all sources with what macros stand for
  int64_t steps = 60'000'000;   // tokens that are executed
};

// Files that end with .c, in the order of their names; those that they include are taken from
// `files`. Errors: max78_program_text with file and line for what is not understood.
Result<CProgram> read_c_program(const std::vector<CFile>& files, const CLimits& limits = {});

}  // namespace edgetwin::max78
