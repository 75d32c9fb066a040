#include "targets/edgetpu/device/firmware.h"

#include <cstdlib>

#include "base/file.h"
#include "base/sha256.h"

namespace edgetwin::edgetpu {

namespace {

constexpr uint64_t kMaxFirmwareBytes = uint64_t{1} << 20;

Result<Firmware> load(const std::filesystem::path& path, bool any) {
  Result<Bytes> image = read_file(path, kMaxFirmwareBytes);
  if (!image.ok()) {
    return Error(ErrorCode::device_firmware,
                 "the firmware cannot be read: " + image.error().message)
        .in_file(path.string());
  }
  Firmware firmware{path.string(), std::move(image).value(), false};
  const std::string hash = sha256_hex(firmware.image);
  for (const KnownFirmware& row : known_firmware())
    firmware.known = firmware.known || row.sha256 == hash;
  if (firmware.known || any) return firmware;
  Error error(ErrorCode::device_firmware, "the firmware is not a known one");
  error.place.file = path.string();
  error.details.push_back(std::to_string(firmware.image.size()) + " bytes, SHA-256 " + hash);
  for (const KnownFirmware& row : known_firmware())
    error.details.push_back("known: " + std::string(row.file) + ", " + std::to_string(row.bytes) +
                            " bytes, SHA-256 " + std::string(row.sha256));
  error.hint = "if it is the right one all the same, say --any-firmware";
  return error;
}

}  // namespace

const std::vector<KnownFirmware>& known_firmware() {
  static const std::vector<KnownFirmware> table = {
#define FIRMWARE(file, bytes, sha256, endpoints) {file, bytes, sha256},
#include "targets/edgetpu/device/firmware.def"
  };
  return table;
}

std::vector<std::filesystem::path> usual_folders() {
  std::vector<std::filesystem::path> folders = {"."};
  if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && *data != '\0')
    folders.push_back(std::filesystem::path(data) / "edgetwin");
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0')
    folders.push_back(std::filesystem::path(home) / ".local/share/edgetwin");
  folders.emplace_back("/usr/local/share/edgetwin");
  folders.emplace_back("/usr/share/edgetwin");
  folders.emplace_back("/usr/lib/firmware");
  return folders;
}

Result<Firmware> load_firmware(const FirmwareOptions& options) {
  if (options.file) return load(*options.file, options.any);
  const auto folders = options.folders.empty() ? usual_folders() : options.folders;
  Error error(ErrorCode::device_firmware,
              "the device is in boot state and needs a firmware file, which was not found");
  for (const auto& folder : folders) {
    for (const KnownFirmware& row : known_firmware()) {
      const std::filesystem::path path = folder / row.file;
      std::error_code ignored;
      if (std::filesystem::is_regular_file(path, ignored)) return load(path, options.any);
      error.details.push_back("looked for " + path.string());
    }
  }
  return error;
}

}  // namespace edgetwin::edgetpu
