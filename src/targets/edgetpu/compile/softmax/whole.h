// Softmax of a vector that every tile has whole: each tile computes all of it, so that nothing is
// moved between them. Source: specification "heads" 1, 1.1.
#pragma once

#include "targets/edgetpu/compile/templates/layers.h"

namespace edgetwin::edgetpu::compiler {

// The result is whole in every tile, too.
struct SoftmaxSpec {
  int64_t count = 0;
  int64_t in = 0, out = 0, work = 0;  // bytes; what fills the last word of the input is overwritten
  int zero = 0;                       // of the input
  float multiplier = 1.0F;            // of its steps, in the exponent
};
// Bytes of `work` and of the result.
int64_t softmax_work(int64_t count);
int64_t softmax_result(int64_t count);
void softmax(Program& p, const SoftmaxSpec& spec);
// Lines of wide memory.
inline constexpr int64_t kSoftmaxLowest = 2040, kSoftmaxLines = 38;

}  // namespace edgetwin::edgetpu::compiler
