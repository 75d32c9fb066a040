// Numbers of a program's own instructions beside the operators that were written for them. Scales
// inside of a network are chosen; where none gives an instruction's numbers to the last bit, or a
// producer is not known, the instruction still has them.
#pragma once

#include <map>
#include <vector>

#include "graph/graph.h"
#include "targets/edgetpu/decompile/compare/network.h"
#include "targets/edgetpu/decompile/write/decompiled_op.h"

namespace edgetwin::edgetpu {

struct ProgramNumbers {
  std::vector<float> multipliers;  // as NetworkLayer has them
  bool has_limits = false;         // of those that have none the scale decides
  float lower = 0.0F, upper = 0.0F;
  std::vector<int> zero_points;  // as NetworkLayer has them; of layers without weights empty
};
using NumbersByOp = std::map<size_t, ProgramNumbers>;  // by operator of the written graph

// Of the first graph.
NumbersByOp program_numbers(const std::vector<DecompiledOp>& ops);

// Puts them in the place of what the operator's scales make.
void take_program_numbers(const NumbersByOp& numbers, std::vector<NetworkLayer>& layers);

}  // namespace edgetwin::edgetpu
