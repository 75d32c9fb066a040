// A model with the functions themselves where it has tables with a step: what its look-ups would
// give without the table's own error, at the same exponents.
#pragma once

#include <string>
#include <vector>

#include "lut/of_model.h"

namespace edgetwin::lut {

struct IdealModel {
  espdl::Document document;
  std::vector<std::string> layers;  // whose tables got an entry for every input
  std::vector<Finding> findings;    // tables that stay as they are, and why
};

// Every table of 16 bits that the runtime takes gets 65536 entries, each the function's value
// rounded as the target does; the runtime looks such tables up without any rule between entries.
// Tables of 8 bits have an entry for every input already. Tables of unknown functions become
// findings. Errors: those of tables_of and build.
Result<IdealModel> with_ideal_tables(espdl::Document document, numerics::Rounding rounding);

}  // namespace edgetwin::lut
