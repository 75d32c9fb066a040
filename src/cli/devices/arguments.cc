#include "cli/devices/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, DevicesArguments& a) {
  options.text("--device", a.device.device, "WHERE", "usb, or virtual; usb without it")
      .check(refuse_device);
  declare_firmware(options, a.device);
}

Verb verb_devices() {
  return {.name = "devices",
          .group = group::kEdgeTpu,
          .summary = "Attached Edge TPUs, their state, and what to do",
          .example = "edgetwin devices",
          .declare = declaration_of<DevicesArguments>()};
}

}  // namespace edgetwin::cli
