// Additions whose tensors have different exponents, repaired in the file. The runtime adds the
// integers as they are (ESPDL-EXP-01): with e(input) other than e(output), real values are off by a
// power of two. Such files come from quantizers that align the inputs of an addition with each
// other only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/espdl/document/document.h"

namespace edgetwin::targets::espdl {

struct LoweredTensor {
  std::string name;
  int64_t from = 0, to = 0;  // exponents
};

struct AddRepair {
  std::vector<LoweredTensor> lowered;  // in the order of the repair: the last addition first
  std::vector<std::string> left;       // additions that stay unequal, each with the reason
};

// Gives the inputs of every Add and Sub the exponent of its output, from the last to the first so
// that chains follow, where the producer rescales to any exponent (Conv, Gemm, MatMul, Mul,
// RequantizeLinear, or another Add or Sub, whose inputs follow) and nothing else reads the tensor.
// Never the output: biases that follow are in its units. Only exponents in the descriptions of
// values change. Embedded test values keep the numbers of the file as it was.
AddRepair align_adds(edgetwin::espdl::Document& document);

// Additions whose inputs have one exponent and whose output has another: the sign of a model that
// was quantized with inputs aligned to the largest.
size_t count_inputs_aligned_only(const edgetwin::espdl::Document& document);

}  // namespace edgetwin::targets::espdl
