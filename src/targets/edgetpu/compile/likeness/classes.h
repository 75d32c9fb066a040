// Two programs of one network by what their instructions are for: which are equal in the same step
// of the network, and why others are not.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "targets/edgetpu/compile/likeness/uses.h"

namespace edgetwin::edgetpu::compiler {

// The instructions of one use. Of theirs: equal to the one of ours at the same place of the same
// step.
struct UseLikeness {
  Use use = Use::order;
  size_t ours = 0, theirs = 0;
  size_t equal = 0;   // in all fields but waits and counts
  size_t rested = 0;  // those, or other tiles and lines in which a block of parameters rests
  size_t waited = 0;  // of `rested`, those with equal waits and counts
  size_t extra = 0;   // ours without a counterpart
};
// Instructions of theirs that are not `waited`, of one reason.
struct Difference {
  Use use = Use::order;
  std::string what;  // "tensor in.start, out.start", "move.up missing", "ring.send waits"
  size_t count = 0;
  bool waits = false;   // equal but for them
  std::string example;  // "step 12: in.start 0, theirs 640"
};
struct Classes {
  std::vector<UseLikeness> uses;   // those of which there are instructions, in the order of Use
  std::vector<Difference> causes;  // of the body, the most frequent first
};

class ClassComparison {
 public:
  // Both programs of one executable; they need not outlive it. Nothing is counted and false where
  // they are too long to be aligned.
  bool add(const std::vector<Instruction>& ours, const std::vector<Instruction>& theirs,
           bool loading);
  Classes finish() const;

 private:
  struct Cell;
  using Cells = std::map<std::tuple<size_t, Use, Opcode>, Cell>;
  void sort(const std::vector<Instruction>& program, const Uses& uses,
            const std::vector<size_t>& steps, bool mine, Cells& cells);
  void compare(const Cell& cell);
  void note(const Cell& cell, const Instruction* ours, const Instruction& theirs);
  UseLikeness& row_of(Use use) { return rows_.at(static_cast<size_t>(use)); }

  std::vector<UseLikeness> rows_ = std::vector<UseLikeness>(kUses);
  std::map<std::pair<Use, std::string>, Difference> causes_;
};

}  // namespace edgetwin::edgetpu::compiler
