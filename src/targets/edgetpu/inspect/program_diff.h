// Two programs side by side: aligned by their instructions, then compared field by field. Bits that
// the driver overwrites do not count.
#pragma once

#include <string>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu {

struct FieldChange {
  std::string field;  // "in.count[1]", "?41:3"
  std::string a, b;   // as listings write them
};

enum class Change : uint8_t { only_a, only_b, fields };

struct InstructionChange {
  Change change = Change::fields;
  size_t word_a = 0, word_b = 0;
  std::string name;  // of the instruction
  std::vector<FieldChange> fields;
};

struct ProgramDiff {
  size_t instructions_a = 0, instructions_b = 0;
  size_t equal = 0;  // instructions
  std::vector<InstructionChange> changes;
  bool aligned = true;  // false: too different, compared by position
};

ProgramDiff compare(const darwinn::Bitstream& a, const darwinn::Bitstream& b);

// Everything in which two files differ, a line each, with the places in `a` and `b`: packages,
// executables, layers, parameters and programs. Empty: equal.
struct FileDiff {
  std::vector<std::string> lines;
  size_t bitstreams = 0;  // compared
  size_t different_bitstreams = 0;
};
FileDiff compare(const darwinn::File& a, const darwinn::File& b);

}  // namespace edgetwin::edgetpu
