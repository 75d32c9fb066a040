// A network as a folder for a simulation of the chip's gates: a C program for the simulated core,
// memories that the simulator loads and dumps, and a run file that measures and compares.
// Source: specification "rtl". docs/max78-rtl.md.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "targets/max78/csource/read_c.h"
#include "targets/max78/generate/generate.h"
#include "targets/max78/project/project.h"

namespace edgetwin::max78 {

// What check_output does, in its order: reads of words that must be equal, and the accesses
// between them (of the byte swapper).
struct RtlAnswer {
  struct Step {
    bool compare = false;
    Run run;        // of a comparison
    Access access;  // else
  };
  std::vector<Step> steps;
  int64_t words() const;
};
std::string to_text(const RtlAnswer& answer);

struct RtlFolder {
  std::string name;  // the vendor's name of the folder
  std::vector<ProjectFile> files;
  Program program;  // every access, in the order of execution
  RtlAnswer answer;
  int64_t timeout = 0;    // milliseconds
  std::string list_line;  // of --autogen; empty: it was not asked for
};

// `prefix`: the first part of the folder's name; `directory`: characters of its parent's.
// `outputs`: as for compile(). Errors: max78_sample, max78_option for options that a folder does
// not take together.
Result<RtlFolder> make_rtl(const Plan& plan, const Tensor& sample,
                           const std::vector<Tensor>& outputs, const std::string& prefix,
                           size_t directory = 0);

// A folder as it was read back: its program, with what the simulator loads before it, and the words
// that it expects. Without a program.txt the C sources are executed (csource/read_c.h): so the
// folders of the vendor's loader are read too.
struct RtlTest {
  Program program;
  std::vector<Run> expected;
  size_t checks = 0;     // comparisons inside the program
  bool sources = false;  // the program was read from the C sources
};
// `files` by their names in the folder, those that read_rtl_names() asks for. Errors:
// max78_program_text.
bool is_rtl_file(const std::string& name);
Result<RtlTest> read_rtl(const std::vector<ProjectFile>& files, Device& device,
                         const CLimits& limits = {});

}  // namespace edgetwin::max78
