// Plays a register program to the machine, and holds the result against a known answer.
#pragma once

#include <vector>

#include "targets/max78/machine/machine.h"
#include "targets/max78/program/program_text.h"

namespace edgetwin::max78 {

// Every access in its order; the machine runs whenever it can. Errors: max78_program_waits,
// max78_program_stops, each with the line. What is wrong but does not stop it is a finding of the
// machine.
Status play(const ProgramText& program, Machine& machine);

struct WordDifference {
  uint32_t address = 0;
  uint32_t mask = 0;
  uint32_t expected = 0, found = 0;  // under the mask
  WordOrigin origin;
  int byte = 0;                        // the first that differs
  std::optional<int64_t> accumulator;  // of that byte, where it is known
};

struct Comparison {
  uint64_t words = 0, different = 0;
  std::vector<WordDifference> first;  // up to `most`, by address as the known answer lists them
  bool equal() const { return different == 0; }
};
Comparison compare(const Machine& machine, const std::vector<Run>& expected, size_t most = 16);

// "layer 3, channel 5, row 2, column 7: expected 12, found -4, sum 1536 before rounding".
std::string describe(const WordDifference& difference);

}  // namespace edgetwin::max78
