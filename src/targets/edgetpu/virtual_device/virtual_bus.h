// A USB bus in this process with software sticks on it: a Transport for every test, and for the
// program without hardware. Nothing waits: a transfer that cannot end yet says so at once.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "targets/edgetpu/device/transport.h"
#include "targets/edgetpu/virtual_device/reference/library.h"
#include "targets/edgetpu/virtual_device/stick/stick.h"

namespace edgetwin::edgetpu {

enum class UsbFault : uint8_t {
#define FAULT(name, text) name,
#include "targets/edgetpu/virtual_device/faults.def"
#undef FAULT
};
struct UsbFaultInfo {
  UsbFault fault;
  std::string_view name, text;
};
std::span<const UsbFaultInfo> all_usb_faults();

// A transfer that is about to happen.
struct AboutToMove {
  uint64_t number = 0;  // from 0, since the bus was made
  bool control = false;
  uint8_t endpoint = 0;                   // of bulk and interrupt transfers
  uint8_t request_type = 0, request = 0;  // of control transfers
  size_t size = 0;                        // asked for
};
using FaultAt = std::function<std::optional<UsbFault>(const AboutToMove&)>;

struct VirtualPort {
  StickOptions stick = {};
  int bus = 1;
  std::vector<int> ports = {1};
  bool permitted = true;  // else opening fails
  bool in_use = false;    // another program has claimed it
  bool returns = true;    // comes back after it left the bus
  int absent_lists = 1;   // how many listings do not show it meanwhile
};

struct VirtualBusOptions {
  std::vector<VirtualPort> ports = {VirtualPort{}};
  int threads = 1;  // of the computation
  // What computes; default: ChipCompute.
  std::function<std::shared_ptr<Compute>(std::shared_ptr<const Library>)> compute = {};
  FaultAt fault = {};
};

class VirtualBus : public Transport {
 public:
  explicit VirtualBus(VirtualBusOptions options = {});
  ~VirtualBus() override;

  std::string_view name() const override { return "virtual"; }
  Result<std::vector<UsbDevice>> list() override;
  Opened open(const UsbDevice& device) override;

  // Makes a model known, so that its programs are told apart and parameters that are missing are
  // named. `reference` may be null: its instructions are executed, as those of unknown models are;
  // else the part of that graph which the chip computes is run instead. Errors: those of
  // Library::learn. Not while a transfer is under way.
  Status learn(darwinn::File compiled, const std::shared_ptr<const Graph>& reference,
               const std::string& model);

  size_t size() const;
  Stick& stick(size_t port = 0);
  void set_fault(FaultAt fault);
  uint64_t transfers() const;  // so far
  void unplug(size_t port = 0);
  void plug(size_t port = 0);
  // The first complaint of any stick: stick_refused, stick_layer.
  Status verdict() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace edgetwin::edgetpu
