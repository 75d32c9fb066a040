// Compiled models on a device: what `run`, `verify` and `bench` share of --device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/networks/compute.h"
#include "cli/shared/console.h"
#include "cli/shared/device_arguments.h"
#include "targets/edgetpu/runtime/network.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"

namespace edgetwin::cli {

// A way to devices, and the clock that goes with it.
struct DeviceBus {
  std::shared_ptr<edgetpu::Transport> transport;
  std::shared_ptr<edgetpu::VirtualBus> virtual_bus;  // null: real USB
  std::shared_ptr<edgetpu::Clock> clock;             // null: the machine's
  std::string path;                                  // of the wanted stick; empty: any
};
// Errors: device_unavailable.
Result<DeviceBus> open_bus(const DeviceArguments& a, int threads);
edgetpu::FirmwareOptions firmware_options(const DeviceArguments& a);

// A compiled model with its inputs, on an open device.
struct DeviceRun {
  LoadedModel loaded;
  LoadedInputs inputs;
  exec::Options host;
  DeviceBus bus;
  std::unique_ptr<edgetpu::CompiledNetwork> network;
  std::shared_ptr<edgetpu::EdgeTpuDevice> device;
  std::shared_ptr<const darwinn::File> file;
  std::shared_ptr<const LoadedModel> reference;  // null: not read, or there is none

  // With the complaints of a virtual stick where it fails.
  Result<std::vector<Tensor>> run(std::vector<edgetpu::DeviceOutput>* recorded = nullptr);
};
// The first stick of the bus, or the wanted one; it keeps what it needs of the bus.
Result<std::shared_ptr<edgetpu::EdgeTpuDevice>> open_device(const DeviceBus& bus,
                                                            const DeviceArguments& a);
Result<DeviceRun> open_device_run(ByteSpan data, const std::string& file,
                                  const std::vector<std::string>& inputs,
                                  const ComputeArguments& compute, const DeviceArguments& a);
void show_device_findings(DeviceRun& run, Console& console);
// "virtual", "usb 2-1, super (5 Gbit/s)".
std::string device_text(const DeviceRun& run);

}  // namespace edgetwin::cli
