// What each instruction of a program is for, and to which step of the network it belongs, by the
// instructions alone: the same for programs of both compilers.
#pragma once

#include <string_view>
#include <vector>

#include "targets/edgetpu/isa/isa.h"

namespace edgetwin::edgetpu::compiler {

enum class Use : uint8_t {
#define USE(name, body, text) name,
#include "targets/edgetpu/compile/likeness/uses.def"
};
inline constexpr size_t kUses = 0
#define USE(name, body, text) +1
#include "targets/edgetpu/compile/likeness/uses.def"
    ;
std::string_view text(Use use);
// One of those whose laws are known for layers without heads: receivers, numbers, tensor
// instructions with weights or of sums, what brings the weights, borders.
bool is_body(Use use);

// Tensor instructions with the same numbers that follow each other, with what belongs to them.
struct Step {
  Bytes numbers;                // of its tensor instructions: multiplier, limits, zero points
  std::vector<size_t> tensors;  // indices of these
};
inline constexpr size_t kNoStep = ~size_t{0};

struct UseOf {
  Use use = Use::order;
  size_t step = kNoStep;
};
struct Uses {
  std::vector<Step> steps;
  std::vector<UseOf> of;  // of each instruction
};
// `loading`: of a program that loads parameters.
Uses uses_of(const std::vector<Instruction>& program, bool loading);

}  // namespace edgetwin::edgetpu::compiler
