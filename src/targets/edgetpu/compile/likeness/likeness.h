// Two compiled programs of one network side by side, field by field: ours beside the vendor's.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/compile/likeness/classes.h"

namespace edgetwin::edgetpu::compiler {

// The instructions of one opcode.
struct OpcodeLikeness {
  std::string opcode;
  bool order = false;  // it orders engines or feeds the scalar core: not an instruction of a layer
  size_t ours = 0, theirs = 0;
  size_t equal = 0;     // of theirs that ours has in the same order, all but the counters
  size_t counters = 0;  // of those, the ones whose counters and waits are equal, too
  size_t placed = 0;    // equal but for first bytes, first lines and tiles
  size_t other = 0;     // beside one of ours that does something else
  size_t missing() const { return theirs - equal - placed - other; }
  size_t extra() const { return ours - equal - placed - other; }
};
// In how many pairs that are not equal a field differs.
struct FieldLikeness {
  std::string opcode, field;
  size_t differs = 0;
};
struct Likeness {
  std::vector<OpcodeLikeness> opcodes;   // in the order of their codes
  size_t fields = 0, equal_fields = 0;   // of all pairs, counters not counted
  std::vector<FieldLikeness> differing;  // the most frequent first
  Classes classes;                       // by what the instructions are for
  bool same_bytes = false;               // all bitstreams
};

// The programs of all operators, those that load parameters among them. Instructions of one opcode
// are aligned in their order; between opcodes the order is free, as engines run by themselves.
// Error: out_of_memory, where a program is too long to be aligned.
Result<Likeness> likeness_of(const darwinn::File& ours, const darwinn::File& theirs);

}  // namespace edgetwin::edgetpu::compiler
