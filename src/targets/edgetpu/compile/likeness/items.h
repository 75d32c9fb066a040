// What the comparisons of two programs share: instructions by what must be equal in them, and their
// alignment.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu::compiler {

// Equal bytes have one number.
class Names {
 public:
  size_t of(Bytes bytes) { return names_.emplace(std::move(bytes), names_.size()).first->second; }

 private:
  std::map<Bytes, size_t> names_;
};

using FieldTest = std::function<bool(const FieldInfo&)>;
// The instruction's bits without the fields for which `drop` is true.
Bytes without(const Instruction& instruction, const FieldTest& drop);

// Waits, counts and the running number.
bool is_counter(std::string_view field);
// Where a buffer lies, which tile keeps a block: choices that change nothing of what is computed.
bool is_place(std::string_view field);
// Opcodes that order engines or feed the scalar core.
bool is_order(Opcode opcode);

struct Pair {
  size_t ours, theirs;
};
// Pairs of [0, ours) and [0, theirs) in order with the highest sum of scores; 0: no pair. `filled`:
// what stands between two of them is paired, too, one after the other. Takes ours * theirs bytes.
std::vector<Pair> aligned(size_t ours, size_t theirs,
                          const std::function<uint32_t(size_t, size_t)>& score, bool filled);

}  // namespace edgetwin::edgetpu::compiler
