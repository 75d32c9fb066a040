// What a device had to say, on the console and in the document.
#pragma once

#include "cli/shared/console.h"
#include "twin/device.h"

namespace edgetwin::cli {

void show_device_findings(twin::DeviceRun& run, Console& console);

}  // namespace edgetwin::cli
