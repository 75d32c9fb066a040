// Computed results of a case against the recorded ones, within the tolerances of the specification.
#pragma once

#include <string>
#include <vector>

#include "train/cases/entry.h"

namespace edgetwin::train {

struct ArrayComparison {
  std::string name;
  bool equal = false;    // within the tolerance
  bool compared = true;  // some recorded arrays are not what the chip computes
  double distance = 0;   // the largest, in the unit of the tolerance
  double tolerance = 0;  // 0: equality
  std::string remark;    // why it differs, where that is not a number
};

// One row per array of either side; recorded inputs are left out.
std::vector<ArrayComparison> compare_case(const CaseEntry& entry, const CaseArrays& recorded,
                                          const CaseResults& results);

}  // namespace edgetwin::train
