// Compiled models on a real or a virtual device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "targets/edgetpu/capture/capture_transport.h"
#include "targets/edgetpu/runtime/network.h"
#include "targets/edgetpu/virtual_device/virtual_bus.h"
#include "twin/compute.h"

namespace edgetwin::twin {

// On which device, and how it is brought up.
struct DeviceChoice {
  // "usb", "usb:BUS-PORT", "virtual", "virtual:source"; empty: the twin computes
  std::string device;
  std::string reference;  // the network that was compiled, for "virtual:source" and comparisons
  std::string firmware;   // file; empty: where the vendor's packages put it
  std::string performance = "max";
  bool any_firmware = false;
  // Of a virtual device: what goes wrong, as parse_fault() takes it; empty: nothing.
  std::string fault;
  bool captures = false;  // keep what goes over USB
};

// A virtual device; one that computes the network that was compiled instead of its instructions.
inline bool computes_source(const DeviceChoice& a) { return a.device == "virtual:source"; }
inline bool is_virtual(const DeviceChoice& a) {
  return a.device == "virtual" || computes_source(a);
}

// A way to devices, and the clock that goes with it.
struct DeviceBus {
  std::shared_ptr<edgetpu::Transport> transport;
  std::shared_ptr<edgetpu::VirtualBus> virtual_bus;    // null: real USB
  std::shared_ptr<edgetpu::CaptureTransport> capture;  // null: nothing is kept
  std::shared_ptr<edgetpu::Clock> clock;               // null: the machine's
  std::string path;                                    // of the wanted stick; empty: any
  // Of a fault that was asked for: whether it happened, and how many transfers there were. Null:
  // none was asked for.
  struct FaultSeen {
    bool happened = false;
    uint64_t transfers = 0;
  };
  std::shared_ptr<FaultSeen> fault;
};
// Errors: device_unavailable.
Result<DeviceBus> open_bus(const DeviceChoice& a, int threads);
edgetpu::FirmwareOptions firmware_options(const DeviceChoice& a);
// Firmware, performance and clock.
edgetpu::DeviceOptions device_options(const DeviceBus& bus, const DeviceChoice& a);

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
  std::optional<PosenetAttrs> pose_options;      // of a pose decoder that was asked for

  // With the findings of a virtual stick where it fails.
  Result<std::vector<Tensor>> run(std::vector<edgetpu::DeviceOutput>* recorded = nullptr);
};
// The first stick of the bus, or the wanted one; it keeps what it needs of the bus.
Result<std::shared_ptr<edgetpu::EdgeTpuDevice>> open_device(const DeviceBus& bus,
                                                            const DeviceChoice& a);
// Without inputs. `data` are the bytes of the model's file.
Result<DeviceRun> open_on_device(ByteSpan data, const LoadedModel& loaded,
                                 const ComputeOptions& compute, const DeviceChoice& a);
Result<DeviceRun> open_device_run(ByteSpan data, const std::string& file,
                                  const std::vector<std::string>& inputs,
                                  const ComputeOptions& compute, const DeviceChoice& a,
                                  Resize resize = Resize::nearest, const std::string& decoder = "");
// "virtual", "usb 2-1, super (5 Gbit/s)".
std::string device_text(const DeviceRun& run);

}  // namespace edgetwin::twin
