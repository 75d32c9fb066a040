// Options that put the computation on an Edge TPU, and the verb that lists them.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace edgetwin::cli {

struct DeviceArguments {
  std::string device;  // "usb", "usb:BUS-PORT", "virtual"; empty: the twin computes
  std::string reference, firmware;
  std::string performance = "max";
  std::string record;  // folder for what the device gave
  bool any_firmware = false;
  bool force = false;  // of record
};

struct DevicesArguments {
  DeviceArguments device;
};

// For a verb that computes. `records`: also --record.
void add_device(CLI::App* verb, DeviceArguments& a, bool records);
void add_devices(CLI::App& app, DevicesArguments& a);

}  // namespace edgetwin::cli
