// Estimates beside the published numbers of the networks at hand, and the fits done again: the
// table of docs/estimate.md. The data folder is the one of the golden tests.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "edgetwin/estimate.h"

namespace edgetwin::twin {

struct Residual {
  std::string model, name, what, unit;  // "max78002", "mnist", "weights loading", "ms"
  double published = 0;
  EstimateRange range;
  double off() const { return range.mid / published - 1.0; }
  bool inside() const { return published >= range.low && published <= range.high; }
};

// Errors: those of reading; bad_value where a published row is missing.
Result<std::vector<Residual>> residuals(const std::string& data_folder);
// As Markdown, with what the fits give again.
Result<std::string> residual_tables(const std::string& data_folder);

}  // namespace edgetwin::twin
