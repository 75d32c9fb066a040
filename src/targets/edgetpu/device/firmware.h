// The firmware of the boot state: a file of the user. It is looked for, checked against what is
// known, and never brought along or fetched.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::edgetpu {

struct KnownFirmware {
  std::string_view file;
  size_t bytes;
  std::string_view sha256;
};
const std::vector<KnownFirmware>& known_firmware();

struct FirmwareOptions {
  std::optional<std::filesystem::path> file;   // nothing: the usual places
  std::vector<std::filesystem::path> folders;  // the usual places; empty: usual_folders()
  bool any = false;                            // also one that is not known
};

// The working folder, the user's data folder, the system's.
std::vector<std::filesystem::path> usual_folders();

struct Firmware {
  std::string file;
  Bytes image;
  bool known = false;
};
// Error: device_firmware.
Result<Firmware> load_firmware(const FirmwareOptions& options);

}  // namespace edgetwin::edgetpu
