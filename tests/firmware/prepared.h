// A network ready for the compiler, and what its firmware must do.
#pragma once

#include "firmware/firmware.h"
#include "golden/max78_cases.h"

namespace edgetwin::firmware {

struct Prepared {
  std::unique_ptr<golden::Max78Case> c;
  std::vector<std::string> words;  // options
  std::string problem;             // why there are no files; empty: there are
  std::vector<Tensor> outputs;     // of a simulation
  std::vector<max78::ProjectFile> files;

  const max78::Plan& plan() const { return c->plan(); }
  bool has(const char* option) const;
  size_t result_bytes() const;  // of all output layers
};

Prepared prepare(std::unique_ptr<golden::Max78Case> c, const std::vector<std::string>& words,
                 const std::string& name);

// Compiles and runs it. `problem` of the result is set where the compiler said something.
Ran build_and_run(const Prepared& p, const Chip::MakeAccelerator& accelerator);

// What stands behind the bus: the machine, or memory that knows the answer.
Chip::MakeAccelerator machine_for(const Prepared& p);
Chip::MakeAccelerator memory_for(const Prepared& p);

// GoogleTest expectations.
void expect_passed(const Prepared& p, const Ran& ran);
// cnn_unload gives what the simulation computes.
void expect_results(const Prepared& p, const Ran& ran);
// `program`: text of the register program.
void expect_program(const Prepared& p, const Ran& ran, const std::string& program);
// The divider of the clock while loading and while running.
void expect_clock(const Prepared& p, const Ran& ran);

}  // namespace edgetwin::firmware
