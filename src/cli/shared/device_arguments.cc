#include "cli/shared/device_arguments.h"

namespace edgetwin::cli {

std::string refuse_device(const std::string& word) {
  if (word == "usb" || word == "virtual" || word == "virtual:source") return "";
  const bool has_path = word.starts_with("usb:") && word.size() > 4;
  return has_path ? "" : "'" + word + "' is not usb, usb:BUS-PORT, virtual or virtual:source";
}

Status refuse_reference(const DeviceArguments& a) {
  if (a.reference.empty() || a.device != "virtual") return Ok{};
  return Error(ErrorCode::usage, "--reference has no meaning with --device virtual")
      .with_hint("The instructions are executed; --device virtual:source computes the reference.");
}

OptionHandle declare_firmware(OptionSet& all, DeviceArguments& a) {
  OptionSet options = all.in_group(kEdgeTpuGroup);
  return options.file("--firmware", a.firmware,
                      "For a stick in boot state; without it apex_latest_single_ep.bin\nis looked "
                      "for in the usual folders");
}

void declare(OptionSet& all, DeviceArguments& a, const DeviceUse& use) {
  OptionSet options = all.in_group(kEdgeTpuGroup);
  OptionHandle device =
      options.text("--device", a.device, "WHERE",
                   "Where a compiled model is computed: usb, usb:BUS-PORT as `devices` shows it,\n"
                   "or virtual, a stick made of software that executes the instructions\n"
                   "(virtual:source computes the model that was compiled instead);\n"
                   "operators that are not compiled are computed by the twin");
  device.check(refuse_device);
  OptionHandle reference =
      options.file("--reference", a.reference,
                   "The .tflite model that was compiled; without it the one beside,\n"
                   "NAME.tflite of NAME_edgetpu.tflite");
  if (use.reference_needs_device) reference.needs(device);
  declare_firmware(options, a).needs(device);
  options.flag("--any-firmware", a.any_firmware, "Also a firmware that is not known").needs(device);
  options
      .text("--performance", a.performance, "max",
            "Clock of the chip: low, medium, high or max (63, 125, 250, 500 MHz)")
      .choices({"low", "medium", "high", "max"})
      .needs(device);
  if (!use.records) return;
  options
      .text("--fault", a.fault, "KIND@N",
            "A virtual device's transfer N goes wrong, or KIND@WHERE[:N]: N of those\nto "
            "control, out, output, event, interrupt; kinds: disconnect, stall,\ntimeout, "
            "short_transfer, overflow, garbage")
      .needs(device);
  options
      .folder("--record", a.record,
              "Folder for what the device was given and gave, with record.json,\nand all of its "
              "USB transfers as usb.pcap (`capture` reads it)")
      .needs(device);
}

}  // namespace edgetwin::cli
