#include "c/options.h"
#include "c/verb.h"

using namespace edgetwin;     // NOLINT: the entry points of this file
using namespace edgetwin::c;  // NOLINT

extern "C" {

EDGETWIN_EXPORT int32_t edgetwin_device_list(const edgetwin_option* options, size_t n,
                                             edgetwin_document** out, edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_document>> {
    EDGETWIN_TRY_ASSIGN(const Options given, options_of(options, n));
    return run_verb({"devices"}, given, {});
  });
}

EDGETWIN_EXPORT int32_t edgetwin_device_open(const char* where, const edgetwin_option* options,
                                             size_t n, edgetwin_device** out,
                                             edgetwin_error** error) {
  return guard_out(out, error, [&]() -> Result<std::unique_ptr<edgetwin_device>> {
    EDGETWIN_TRY(require(where != nullptr, "the place of the device is NULL"));
    EDGETWIN_TRY_ASSIGN(const Options given, options_of(options, n));
    DeviceOptions how;
    for (const auto& [key, value] : given) {
      if (key == "performance") {
        how.performance = value;
      } else if (key == "firmware") {
        how.firmware = value;
      } else if (key == "threads") {
        EDGETWIN_TRY_ASSIGN(how.threads, number_option(key, value, 1, 256));
      } else {
        return unknown_key(key, "performance, firmware, threads");
      }
    }
    EDGETWIN_TRY_ASSIGN(Device device, Device::open(where, how));
    return std::make_unique<edgetwin_device>(edgetwin_device{std::move(device)});
  });
}

EDGETWIN_EXPORT void edgetwin_device_free(edgetwin_device* device) { take_back(device); }

}  // extern "C"
