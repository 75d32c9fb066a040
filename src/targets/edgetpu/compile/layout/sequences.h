// Sequences of instructions of several tiles that share what they begin with alike.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "targets/edgetpu/compile/emit/program.h"

namespace edgetwin::edgetpu::compiler {

// Instructions of tiles in order. Rows or columns of tiles share those that their sequences begin
// with alike.
class SharedSequences {
 public:
  explicit SharedSequences(Program& p) : p_(p) {}
  struct Sequence {
    int target = 0;
    int place = 0, of = -1;  // of the next instruction; the sequence whose instructions it has
    bool shares = false;     // it has those of another one so far,
    bool open = true;        // and may go on to
  };
  void add(const Assembly& a, int tile, Sequence& s) {
    const auto same = [&](const Made& m) {
      return m.target == s.target && m.place == s.place && (s.place == 0 || s.of == m.of) &&
             m.instruction.bytes() == a.bytes();
    };
    const auto found = s.open ? std::ranges::find_if(made_, same) : made_.end();
    if (found != made_.end()) {
      found->tiles |= 1U << tile;
      if (s.place == 0) s.of = found->of, s.shares = true;
    } else {
      if (s.place == 0) s.of = sequences_++;
      if (s.shares) s.open = false;
      made_.push_back({a, 1U << tile, s.target, s.open ? s.place : -1, s.of});
    }
    ++s.place;
  }
  void end() {
    for (Made& m : made_) p_.add(std::move(m.instruction), m.tiles);
    made_.clear();
  }

 private:
  struct Made {
    Assembly instruction;
    uint32_t tiles = 0;
    int target = 0, place = 0, of = 0;
  };
  Program& p_;
  std::vector<Made> made_;
  int sequences_ = 0;
};

}  // namespace edgetwin::edgetpu::compiler
