// The name under which a program gives back a variable that is its input: what it gives is the
// variable at the next inference. Specification: formats, 1.8.
#pragma once

#include <string>

namespace edgetwin::darwinn {

inline std::string variable_output(const std::string& variable) {
  return variable + "_variable_output";
}

}  // namespace edgetwin::darwinn
