// Options that put the computation on an Edge TPU.
#pragma once

#include <string>

#include "cli/shared/option_set.h"

namespace edgetwin::cli {

constexpr const char* kEdgeTpuGroup = "Edge TPU";

struct DeviceArguments {
  std::string
      device;  // "usb", "usb:BUS-PORT", "virtual", "virtual:source"; empty: the twin computes
  std::string reference, firmware;
  std::string performance = "max";
  Output record;  // folder for what the device gave
  bool any_firmware = false;
};

// What of them a verb has.
struct DeviceUse {
  bool records = false;                // also --record
  bool reference_needs_device = true;  // --reference has no meaning of its own
};
void declare(OptionSet& options, DeviceArguments& a, const DeviceUse& use);

// A virtual device; one that computes the network that was compiled instead of its instructions.
bool is_virtual(const DeviceArguments& a);
bool computes_source(const DeviceArguments& a);

// Why a word does not say where devices are; empty: it does.
std::string refuse_device(const std::string& word);
// --firmware
void declare_firmware(OptionSet& options, DeviceArguments& a);

}  // namespace edgetwin::cli
