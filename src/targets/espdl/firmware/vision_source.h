// The file of the application that is written for one picture and its networks.
#pragma once

#include <string>
#include <vector>

#include "targets/espdl/firmware/firmware.h"
#include "targets/espdl/firmware/project_files.h"

namespace edgetwin::targets::espdl {

// "texts", "yolo26": files of the template that only some decoders need.
std::vector<std::string> own_parts(const std::vector<FirmwareCase>& cases);

// Has the chip a post-processor for it?
bool has_post_processor(std::string_view decoder);
std::vector<std::string> post_processors();
std::string post_processor_names();  // "espdl-yolo11, espdl-pose, …"

// Error: firmware_case.
Status check_vision(const FirmwareCase& one);

// vision.cpp.
std::string vision_source(const FirmwarePicture& picture, const std::vector<FirmwareCase>& cases,
                          const std::vector<PlacedCase>& placed);

}  // namespace edgetwin::targets::espdl
