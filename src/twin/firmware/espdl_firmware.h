// The application for a chip, by the options of the rooms that compute.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "edgetwin/firmware.h"
#include "exec/session.h"
#include "targets/espdl/firmware/firmware.h"
#include "twin/compute.h"

namespace edgetwin::twin {

struct FirmwareParts {
  std::vector<std::string> models, inputs;
  ComputeOptions compute;
  bool partition = false, lut_sweeps = false;
  // With a picture: what reads the outputs of each model, which look at it one after the other.
  std::string picture;
  std::vector<std::string> decoders;
  std::string params;
  std::string labels;  // of the last model's classes, or its dictionary
};

// As edgetwin::make_firmware. `findings` gets what was noticed, also where making it fails.
Result<Firmware> make_firmware(const FirmwareParts& parts, std::vector<Finding>& findings);

// A name that the application can carry.
std::string firmware_case_name(const std::string& file);
// The model with what it must give of these inputs.
Result<targets::espdl::FirmwareCase> firmware_case(const LoadedModel& loaded,
                                                   const std::vector<Tensor>& inputs,
                                                   exec::Session& session,
                                                   std::vector<Finding>& findings);

// The cases of a picture, one for each look of a network, and the picture itself.
struct PictureCases {
  targets::espdl::FirmwarePicture picture;
  std::vector<targets::espdl::FirmwareCase> cases;
};
// Errors: usage for decoders that the chip's library does not have and parameters that its own
// preparation does not know, and those of see_picture().
Result<PictureCases> picture_cases(const FirmwareParts& parts,
                                   const std::vector<LoadedModel>& models,
                                   std::vector<Finding>& findings);

}  // namespace edgetwin::twin
