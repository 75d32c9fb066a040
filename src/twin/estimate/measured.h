// Published rows with the estimate of their network.
#pragma once

#include <string>
#include <vector>

#include "twin/estimate/residuals.h"

namespace edgetwin::twin {

// residual_rows.def.
struct ResidualRow {
  std::string model, family, chip, published, clock, file, options;
};

struct Measured {
  ResidualRow row;
  Estimate estimate;
  double published = 0;  // ms
};

// In the order of residual_rows.def. Errors: as residuals().
Result<std::vector<Measured>> measured_rows(const std::string& data_folder);
// Loading and energies that are published of the MAX78002's rows among these.
Result<std::vector<Residual>> phase_residuals(const std::string& data_folder,
                                              const std::vector<Measured>& rows);

}  // namespace edgetwin::twin
