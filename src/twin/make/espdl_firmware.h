// The application for a chip, by the options of the rooms that compute.
#pragma once

#include <string>
#include <vector>

#include "edgetwin/firmware.h"
#include "twin/compute.h"

namespace edgetwin::twin {

struct FirmwareParts {
  std::vector<std::string> models, inputs;
  ComputeOptions compute;
  bool partition = false, lut_sweeps = false;
};

// As edgetwin::make_firmware. `findings` gets what was noticed, also where making it fails.
Result<Firmware> make_firmware(const FirmwareParts& parts, std::vector<Finding>& findings);

}  // namespace edgetwin::twin
