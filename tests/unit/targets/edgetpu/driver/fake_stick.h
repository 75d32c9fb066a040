// A stick for the driver's own tests: registers that remember, the boot loader, and a chip that
// follows the transfers of the executables it is told to know. What it computes is a mixture of
// input and weights, so that wrong, stale or missing bytes show.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "formats/darwinn/darwinn.h"
#include "targets/edgetpu/device/registers.h"
#include "targets/edgetpu/device/transport.h"

namespace edgetwin::edgetpu {

// Two executables, one input of 300 bytes in two transfers, two outputs.
darwinn::Package small_package(uint64_t token, uint8_t seed);
// What the fake answers for output `index`, in tiles.
Bytes mixed(const darwinn::Executable& main, size_t index, ByteSpan input, ByteSpan weights);

enum class FaultKind : uint8_t {
  disconnect,  // gone until the next listing
  stall,
  timeout,
  short_transfer,
  overflow,
  garbage,  // all bytes of an answer are 0xa5
};

// Counts every transfer and makes one of them fail.
struct FaultPlan {
  int at = -1;  // index of the transfer
  FaultKind kind = FaultKind::stall;
  int seen = 0;

  bool strikes() { return seen++ == at; }
};

class FakeStick {
 public:
  // What a test may set before or between uses.
  bool boot = false;
  bool plugged = true;
  bool permitted = true;
  bool claimed_elsewhere = false;
  bool never_comes_back = false;  // after a reset
  bool ignores_firmware = false;  // stays in boot state
  bool sleeps_forever = false;    // cur_pwr_state never follows
  Bytes firmware;                 // as downloaded
  UsbSpeed speed = UsbSpeed::super;
  uint32_t interrupt_next = 0;  // an interrupt packet to be sent after the next inference
  FaultPlan faults;
  std::vector<const darwinn::Package*> known;

  // What a test may look at.
  int claims = 0, resets = 0, open_connections = 0, parameter_loads = 0, inferences = 0;
  std::map<uint32_t, uint64_t> registers;
  std::vector<std::string> findings;

  FakeStick();
  void power_on();

  Transferred control(uint8_t type, uint8_t request, uint32_t value, uint32_t index,
                      std::span<std::byte> data);
  UsbStatus out(ByteSpan data);
  // Nothing: the read goes on.
  std::optional<Transferred> in(uint8_t endpoint, std::span<std::byte> data);
  void port_reset();

 private:
  void complain(const std::string& what) { findings.push_back(what); }
  Transferred dfu(uint8_t request, uint32_t value, std::span<std::byte> data);
  void frame(FrameTag tag, ByteSpan payload);
  void advance();

  Bytes stream_;  // unparsed bytes of endpoint 1
  const darwinn::Executable* current_ = nullptr;
  size_t hint_ = 0;
  Bytes input_;
  std::map<const darwinn::Executable*, Bytes> weights_;  // by caching executable
  Bytes* loading_ = nullptr;
  std::deque<Bytes> outputs_;
  std::deque<std::array<std::byte, kEventBytes>> events_;
  std::deque<uint32_t> interrupts_;
  DfuState dfu_state_ = DfuState::idle;
  bool firmware_complete_ = false;
};

// The bus with this one stick, at 1-2.
std::shared_ptr<Transport> fake_bus(FakeStick& stick);

}  // namespace edgetwin::edgetpu
