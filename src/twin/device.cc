#include "twin/device.h"

#include "base/file.h"
#include "targets/edgetpu/libusb/usb_transport.h"
#include "targets/edgetpu/virtual_device/fault_words.h"
#include "twin/decompiled.h"
#include "twin/espdl_choice.h"
#include "twin/runners.h"

namespace edgetwin::twin {
namespace {

constexpr std::string_view kUsbPath = "usb:";

edgetpu::Performance performance(const std::string& word) {
  for (const auto p :
       {edgetpu::Performance::low, edgetpu::Performance::medium, edgetpu::Performance::high})
    if (name(p) == word) return p;
  return edgetpu::Performance::max;
}

}  // namespace

Result<DeviceBus> open_bus(const DeviceChoice& a, int threads) {
  DeviceBus bus;
  if (is_virtual(a)) {
    edgetpu::VirtualBusOptions options;
    options.threads = threads;
    if (!a.fault.empty()) {
      EDGETWIN_TRY_ASSIGN(edgetpu::FaultAt fault, edgetpu::parse_fault(a.fault));
      bus.fault = std::make_shared<DeviceBus::FaultSeen>();
      options.fault = [fault = std::move(fault),
                       seen = bus.fault](const edgetpu::AboutToMove& about) mutable {
        ++seen->transfers;
        const auto kind = fault(about);
        seen->happened = seen->happened || kind.has_value();
        return kind;
      };
    }
    bus.virtual_bus = std::make_shared<edgetpu::VirtualBus>(std::move(options));
    bus.transport = bus.virtual_bus;
    bus.clock = std::make_shared<edgetpu::JumpingClock>();
  } else {
    if (!a.fault.empty()) {
      return Error(ErrorCode::usage, "--fault is of a virtual device: a real one fails by itself");
    }
    if (a.device.starts_with(kUsbPath)) bus.path = a.device.substr(kUsbPath.size());
    EDGETWIN_TRY_ASSIGN(bus.transport, edgetpu::usb_transport());
  }
  if (a.captures) {
    bus.capture = std::make_shared<edgetpu::CaptureTransport>(bus.transport);
    bus.transport = bus.capture;
  }
  return bus;
}

Result<std::shared_ptr<edgetpu::EdgeTpuDevice>> open_device(const DeviceBus& bus,
                                                            const DeviceChoice& a) {
  EDGETWIN_TRY_ASSIGN(
      auto device, edgetpu::EdgeTpuDevice::open(bus.transport, bus.path, device_options(bus, a)));
  // The clock belongs to the bus.
  return std::shared_ptr<edgetpu::EdgeTpuDevice>(device.release(),
                                                 [bus](edgetpu::EdgeTpuDevice* d) { delete d; });
}

edgetpu::DeviceOptions device_options(const DeviceBus& bus, const DeviceChoice& a) {
  edgetpu::DeviceOptions options;
  options.firmware = firmware_options(a);
  options.performance = performance(a.performance);
  options.clock = bus.clock.get();
  return options;
}

edgetpu::FirmwareOptions firmware_options(const DeviceChoice& a) {
  edgetpu::FirmwareOptions options;
  if (!a.firmware.empty()) options.file = a.firmware;
  options.any = a.any_firmware;
  return options;
}

Result<DeviceRun> open_on_device(ByteSpan data, const LoadedModel& loaded,
                                 const ComputeOptions& compute, const DeviceChoice& a) {
  DeviceRun run;
  const std::string& file = loaded.file;
  run.loaded = loaded;
  EDGETWIN_TRY_ASSIGN(darwinn::File compiled, darwinn::read(data, file));
  run.file = std::make_shared<const darwinn::File>(std::move(compiled));
  if (computes_source(a)) {
    EDGETWIN_TRY_ASSIGN(run.reference, load_reference_or_decompile(data, file, a.reference));
  }
  run.host = host_options(compute);
  auto network = edgetpu::CompiledNetwork::make(run.loaded.model, *run.file, run.host);
  if (!network.ok()) {
    Error error = std::move(network).error();
    if (error.place.file.empty()) error.place.file = file;
    return error;
  }
  run.network = std::make_unique<edgetpu::CompiledNetwork>(std::move(*network));
  EDGETWIN_TRY_ASSIGN(run.bus, open_bus(a, compute.threads));
  if (run.bus.virtual_bus != nullptr) {
    const auto graph = run.reference == nullptr ? nullptr : run.reference->graph();
    EDGETWIN_TRY(run.bus.virtual_bus->learn(*run.file, graph, file));
  }
  EDGETWIN_TRY_ASSIGN(run.device, open_device(run.bus, a));
  return run;
}

Result<DeviceRun> open_device_run(ByteSpan data, const std::string& file,
                                  const std::vector<std::string>& inputs,
                                  const ComputeOptions& compute, const DeviceChoice& a,
                                  Resize resize, const std::string& decoder) {
  EDGETWIN_TRY_ASSIGN(const LoadedModel whole, load_model(data, file, load_options(compute)));
  std::optional<PosenetAttrs> pose_options;
  const LoadedModel loaded = for_decoder(whole, decoder, pose_options);
  EDGETWIN_TRY_ASSIGN(DeviceRun run, open_on_device(data, loaded, compute, a));
  run.pose_options = pose_options;
  const auto how = static_cast<PictureOptions::Resize>(resize);
  const PictureOptions pictures{how, compute.mean, compute.std};
  const std::vector<Port> ports = graph_ports(run.network->graph(), run.network->graph().inputs);
  EDGETWIN_TRY_ASSIGN(run.inputs, inputs_for(ports, inputs, run.host.numerics, pictures, file));
  return run;
}

Result<std::vector<Tensor>> DeviceRun::run(std::vector<edgetpu::DeviceOutput>* recorded) {
  auto outputs = network->run(*device, inputs.tensors, recorded);
  if (outputs.ok() || bus.virtual_bus == nullptr) return outputs;
  const Status verdict = bus.virtual_bus->verdict();
  if (verdict.ok()) return outputs;
  // What the stick complained of is the cause, what the driver saw of it the consequence.
  Error cause = verdict.error();
  cause.details.push_back("the driver saw: " + outputs.error().message);
  return cause;
}

std::string device_text(const DeviceRun& run) {
  const edgetpu::UsbDevice where = run.device->where();
  // A device that the caller opened has its way to the chip itself.
  const std::string kind(run.bus.transport == nullptr ? "usb" : run.bus.transport->name());
  return kind + " " + where.path() + ", " + std::string(name(where.speed));
}

}  // namespace edgetwin::twin
