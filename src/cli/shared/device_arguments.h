// Options that put the computation on an Edge TPU.
#pragma once

#include <string>

#include "cli/shared/option_set.h"
#include "twin/device.h"

namespace edgetwin::cli {

constexpr const char* kEdgeTpuGroup = "Edge TPU";

struct DeviceArguments : twin::DeviceChoice {
  Output record;  // folder for what the device gave
};

// What of them a verb has.
struct DeviceUse {
  bool records = false;                // also --record and --fault
  bool reference_needs_device = true;  // --reference has no meaning of its own
};
void declare(OptionSet& options, DeviceArguments& a, const DeviceUse& use);

// A reference that would change nothing: the device computes, and nothing is compared. Error:
// usage.
Status refuse_reference(const DeviceArguments& a);

// Why a word does not say where devices are; empty: it does.
std::string refuse_device(const std::string& word);
// --firmware
OptionHandle declare_firmware(OptionSet& options, DeviceArguments& a);

}  // namespace edgetwin::cli
