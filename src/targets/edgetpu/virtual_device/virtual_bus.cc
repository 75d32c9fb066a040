#include "targets/edgetpu/virtual_device/virtual_bus.h"

#include <algorithm>
#include <mutex>

#include "targets/edgetpu/virtual_device/chip_compute.h"
#include "targets/edgetpu/virtual_device/virtual_connection.h"

namespace edgetwin::edgetpu {
namespace {

constexpr UsbFaultInfo kFaults[] = {
#define FAULT(name, text) {UsbFault::name, #name, text},
#include "targets/edgetpu/virtual_device/faults.def"
#undef FAULT
};

}  // namespace

std::span<const UsbFaultInfo> all_usb_faults() { return kFaults; }

// Ports live as long as the bus or a connection to it.
struct VirtualBus::State {
  std::shared_ptr<Library> library = std::make_shared<Library>();
  std::vector<std::unique_ptr<PortState>> ports;
  std::shared_ptr<BusTraffic> traffic = std::make_shared<BusTraffic>();
  int next_address = 2;
};

VirtualBus::VirtualBus(VirtualBusOptions options) : state_(std::make_shared<State>()) {
  state_->traffic->fault = std::move(options.fault);
  for (VirtualPort& port : options.ports) {
    std::shared_ptr<Compute> compute =
        options.compute ? options.compute(state_->library)
                        : std::make_shared<ChipCompute>(state_->library, options.threads);
    auto p = std::make_unique<PortState>(std::move(port), std::move(compute), state_->traffic);
    p->address = state_->next_address++;
    state_->ports.push_back(std::move(p));
  }
}

VirtualBus::~VirtualBus() = default;

Result<std::vector<UsbDevice>> VirtualBus::list() {
  std::vector<UsbDevice> devices;
  for (const auto& p : state_->ports) {
    const std::lock_guard lock(p->mutex);
    if (!p->look()) continue;
    devices.push_back(p->device());
  }
  std::sort(devices.begin(), devices.end(), [](const UsbDevice& a, const UsbDevice& b) {
    return a.bus != b.bus ? a.bus < b.bus : a.ports < b.ports;
  });
  return devices;
}

Transport::Opened VirtualBus::open(const UsbDevice& device) {
  for (const auto& p : state_->ports) {
    const std::lock_guard lock(p->mutex);
    if (!p->present() || p->options.bus != device.bus || p->address != device.address) continue;
    if (!p->options.permitted) return {UsbStatus::access, nullptr};
    // The state must outlive the connection.
    std::shared_ptr<PortState> shared(state_, p.get());
    return {UsbStatus::ok, make_virtual_connection(std::move(shared))};
  }
  return {UsbStatus::no_device, nullptr};
}

Status VirtualBus::learn(darwinn::File compiled, const std::shared_ptr<const Graph>& reference,
                         const std::string& model) {
  return state_->library->learn(std::move(compiled), reference, model);
}

size_t VirtualBus::size() const { return state_->ports.size(); }
Stick& VirtualBus::stick(size_t port) { return state_->ports[port]->stick; }
uint64_t VirtualBus::transfers() const { return state_->traffic->count; }

void VirtualBus::set_fault(FaultAt fault) { state_->traffic->fault = std::move(fault); }

void VirtualBus::unplug(size_t port) {
  PortState& p = *state_->ports[port];
  const std::lock_guard lock(p.mutex);
  p.plugged = false;
  p.leave();
}

void VirtualBus::plug(size_t port) {
  PortState& p = *state_->ports[port];
  const std::lock_guard lock(p.mutex);
  if (p.plugged) return;
  p.plugged = true;
  p.absent_lists = 0;
  p.stick.power_cycle();
}

Status VirtualBus::verdict() const {
  for (const auto& p : state_->ports) {
    const std::lock_guard lock(p->mutex);
    EDGETWIN_TRY(p->stick.verdict());
  }
  return Ok{};
}

}  // namespace edgetwin::edgetpu
