#include "cli/capture/arguments.h"

namespace edgetwin::cli {

void declare(OptionSet& options, CaptureArguments& a) {
  options.positional("FILE", a.file, "A capture of a USB bus (usbmon), .pcap or .pcapng")
      .required();
  options.text("--address", a.address, "BUS.ADDRESS",
               "Of the device; without it the one whose registers are accessed");
  options
      .text("--replay", a.replay, "WHERE",
            "Does the same on another device and compares its answers:\nvirtual; exit code 1 where "
            "they differ")
      .choices({"virtual"});
}

Verb verb_capture() {
  return {.name = "capture",
          .group = group::kEdgeTpu,
          .summary = "USB captures of an Edge TPU in the words of the driver",
          .example = "edgetwin capture usb.pcap --replay virtual",
          .declare = declaration_of<CaptureArguments>()};
}

}  // namespace edgetwin::cli
