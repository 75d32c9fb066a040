// Edge TPUs on USB: which are attached, what each needs, and their registers by name.
// docs/edgetpu-driver.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "edgetwin/export.h"
#include "edgetwin/result.h"

namespace edgetwin {

struct DeviceQuery {
  std::string device = "usb";  // "usb", "usb:BUS-PORT" or "virtual"
  std::string firmware = {};   // file; empty: where the vendor's packages put it
  bool any_firmware = false;   // also a file whose SHA-256 is not known
};

struct AttachedDevice {
  std::string device;  // "usb:1-2": what RunnerOptions::device takes
  int bus = 0;
  std::string path;    // "1-2"
  std::string state;   // "boot": it has no firmware yet; "runtime"
  std::string id;      // "18d1:9302": vendor and product of USB
  std::string speed;   // "super"
  std::string access;  // "free", "in use", "no permission", "not reachable"
  std::string remedy;  // what to do before it computes; empty: nothing
};
// Errors: device_unavailable where USB cannot be reached.
EDGETWIN_API Result<std::vector<AttachedDevice>> attached_devices(const DeviceQuery& query = {});

struct DeviceRegister {
  std::string name = {};  // "scu_ctrl_3", or ".force_sleep" of a field
  uint64_t address = 0;
  uint64_t value = 0;
  bool asleep = false;       // it cannot be read while the chip sleeps; `value` is not known
  bool written = false;      // by this call
  std::string meaning = {};  // of a field
};
// Claims the device, does the accesses in order ("scu_ctrl_3", "scu_ctrl_3.force_sleep=2",
// "0x1a318") and, with `all`, reads every register with its fields after them. Errors: bad_value
// for an unknown register, device_*.
EDGETWIN_API Result<std::vector<DeviceRegister>> device_registers(
    const std::vector<std::string>& accesses, bool all, const DeviceQuery& query = {});

}  // namespace edgetwin
