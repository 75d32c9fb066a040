// What a look-up node was before it became one. The runtime does not read it; what judges tables
// does.
#pragma once

#include <optional>
#include <string>

namespace edgetwin::espdl {

struct TableOrigin {
  std::string type;                  // attribute original_op_type: "Swish"
  std::optional<float> alpha, beta;  // attributes of the same names
  std::string formula;               // attribute lut_formula; takes the place of the type
};

}  // namespace edgetwin::espdl
