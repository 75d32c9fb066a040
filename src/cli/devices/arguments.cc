#include "cli/devices/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, DevicesArguments& a) {
  options.text("--device", a.device.device, "WHERE", "usb, or virtual; usb without it")
      .check(refuse_device);
  declare_firmware(options, a.device);
  OptionSet registers = options.in_group(kEdgeTpuGroup);
  registers.flag("--registers", a.registers, "Claims the device and reads all registers");
  registers.repeated("--register", a.accesses, "NAME[=N]",
                     "Reads one, or writes it and reads it back: NAME, NAME.FIELD or an\naddress; "
                     "in the order of the command line");
}

Verb verb_devices() {
  return {.name = "devices",
          .group = group::kEdgeTpu,
          .summary = "Attached Edge TPUs, their state, and what to do",
          .example = "edgetwin devices",
          .declare = declaration_of<DevicesArguments>()};
}

}  // namespace edgetwin::cli
