// The files of the application that depend on its cases and options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "targets/espdl/firmware/firmware.h"
#include "targets/target.h"

namespace edgetwin::targets::espdl {

// What the project files need to know of one case.
struct PlacedCase {
  std::string name;
  std::string sha256;         // of the model
  uint64_t model_bytes = 0;   // 0 where an earlier case has the same model
  uint64_t golden_bytes = 0;  // with what the picture's results must be
  size_t model = 0;           // the case whose model it is
  bool has_result = false;
};

struct Chip {
  Id target;
  uint64_t flash_bytes;
  std::string_view sdkconfig;  // the lines that only this chip has
};
// Null for a target that there is no application for.
const Chip* find_chip(std::string_view target);

// Error: firmware_size.
Result<std::string> partitions_csv(const FirmwareOptions& options, const Chip& chip,
                                   const std::vector<PlacedCase>& cases);
// `parts` of own_parts().
std::string sdkconfig_defaults(const FirmwareOptions& options,
                               const std::vector<std::string>& parts);
std::string component_yml(const FirmwareOptions& options, const std::vector<std::string>& parts);
std::string main_cmake(const FirmwareOptions& options, const std::vector<PlacedCase>& cases,
                       const std::vector<std::string>& parts);
std::string cases_source(const FirmwareOptions& options, const std::vector<PlacedCase>& cases);
std::string blobs_source(const FirmwareOptions& options, const std::vector<PlacedCase>& cases);
std::string readme_cases(const std::vector<PlacedCase>& cases);

}  // namespace edgetwin::targets::espdl
