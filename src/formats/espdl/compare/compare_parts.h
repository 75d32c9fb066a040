// What of two operators or tensors differs, in words.
#pragma once

#include <string>
#include <vector>

#include "formats/espdl/document/document.h"

namespace edgetwin::espdl {

// "" where both are the same; otherwise "exponent -5 and -6", "shape 1x3 and 1x4", ….
std::string difference(const ValueInfo& a, const ValueInfo& b);
// Of the initializers that operators use: "" or the first difference, with the element.
std::string difference(const TensorData& a, const TensorData& b);
// One line per attribute that differs and means something; not `lut`, whose table is compared.
// `rank` is that of the first operand, from whose end negative axes count; 0: not known.
std::vector<std::string> attribute_differences(const Node& a, const Node& b, size_t rank);

}  // namespace edgetwin::espdl
