#include "cli/arguments_device.h"

#include <CLI/CLI.hpp>

#include "cli/argument_words.h"

namespace edgetwin::cli {
namespace {

constexpr const char* kGroup = "Edge TPU";

std::string is_device(const std::string& word) {
  if (word == "usb" || word == "virtual") return "";
  const bool has_path = word.starts_with("usb:") && word.size() > 4;
  return has_path ? "" : "'" + word + "' is not usb, usb:BUS-PORT or virtual";
}

void add_firmware_options(CLI::App* verb, DeviceArguments& a) {
  verb->add_option("--firmware", a.firmware,
                   "For a stick in boot state; without it apex_latest_single_ep.bin\nis looked for "
                   "in the usual folders")
      ->check(not_empty)
      ->option_text("FILE")
      ->group(kGroup);
}

}  // namespace

void add_device(CLI::App* verb, DeviceArguments& a, bool records) {
  CLI::Option* device =
      verb->add_option(
              "--device", a.device,
              "Where a compiled model is computed: usb, usb:BUS-PORT as `devices` shows it,\n"
              "or virtual, a stick made of software; operators that are not compiled\n"
              "are computed by the twin")
          ->check(is_device)
          ->option_text("WHERE")
          ->group(kGroup);
  verb->add_option("--reference", a.reference,
                   "The .tflite model that was compiled; without it the one beside,\n"
                   "NAME.tflite of NAME_edgetpu.tflite")
      ->check(not_empty)
      ->option_text("FILE")
      ->group(kGroup)
      ->needs(device);
  add_firmware_options(verb, a);
  verb->add_flag("--any-firmware", a.any_firmware, "Also a firmware that is not known")
      ->group(kGroup);
  verb->add_option("--performance", a.performance,
                   "Clock of the chip: low, medium, high or max (63, 125, 250, 500 MHz)")
      ->check(CLI::IsMember({"low", "medium", "high", "max"}))
      ->option_text("max")
      ->group(kGroup);
  if (!records) return;
  verb->add_option("--record", a.record,
                   "Folder for what the device was given and gave, with record.json")
      ->check(not_empty)
      ->option_text("DIR")
      ->group(kGroup)
      ->needs(device);
}

void add_devices(CLI::App& app, DevicesArguments& a) {
  CLI::App* verb = app.add_subcommand(
      "devices", "Edge TPUs that are attached, their state, and the line that cures it");
  verb->add_option("--device", a.device.device, "usb, or virtual; usb without it")
      ->check(is_device)
      ->option_text("WHERE");
  add_firmware_options(verb, a.device);
  verb->footer("Example:\n  edgetwin devices");
}

}  // namespace edgetwin::cli
