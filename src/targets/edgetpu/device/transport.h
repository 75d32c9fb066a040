// The USB level as libusb shows it: what is attached, and one connection to one of it. The driver
// speaks to nothing else, so that a device may be real, mocked or made of software.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::edgetpu {

enum class UsbStatus : uint8_t {
  ok,
  timeout,    // not finished in time
  stall,      // the device refused
  overflow,   // the device sent more than the buffer holds
  no_device,  // unplugged, or gone after a reset
  busy,       // claimed by another program
  access,     // not permitted
  cancelled,
  no_memory,
  invalid,  // a wrong argument
  io        // all else
};
std::string_view name(UsbStatus status);  // "timeout", "stall", ...

// The end of one transfer: how, and how many bytes moved (also where it did not end well).
struct Transferred {
  UsbStatus status = UsbStatus::ok;
  size_t size = 0;
  bool ok() const { return status == UsbStatus::ok; }
  bool operator==(const Transferred&) const = default;
};

enum class UsbSpeed : uint8_t { unknown, low, full, high, super, super_plus };
std::string_view name(UsbSpeed speed);  // "high (480 Mbit/s)", ...

// What a listing knows without opening.
struct UsbDevice {
  int bus = 0;
  int address = 0;         // changes when the device comes back
  std::vector<int> ports;  // from the root hub down, at most seven; does not change
  uint16_t vendor = 0;
  uint16_t product = 0;
  UsbSpeed speed = UsbSpeed::unknown;

  std::string path() const;  // "2-1.4": bus, then the ports
  bool operator==(const UsbDevice&) const = default;
};

// Names a transfer that was submitted and not yet waited for.
using TransferId = uint64_t;
inline constexpr TransferId kNoTransfer = 0;

// A device that was opened; closing is destruction, which also cancels and releases. One thread at
// a time, but cancel_all may be called from any.
class UsbConnection {
 public:
  virtual ~UsbConnection() = default;

  virtual UsbStatus claim(int interface) = 0;
  virtual UsbStatus release(int interface) = 0;
  // Of the port. Afterwards this connection may be dead (no_device): list and open anew.
  virtual UsbStatus reset() = 0;

  // Raw bytes: the device descriptor (18), and the whole active or first configuration.
  virtual Result<Bytes> device_descriptor() = 0;
  virtual Result<Bytes> configuration_descriptor() = 0;

  // Bit 7 of the request type is the direction; data goes out of or into `data`.
  virtual Transferred control(uint8_t request_type, uint8_t request, uint16_t value, uint16_t index,
                              std::span<std::byte> data, int timeout_ms) = 0;

  // Starts a bulk or interrupt transfer and returns at once; bit 7 of the endpoint is the
  // direction. The buffer belongs to the transfer until wait has returned its end. Transfers of one
  // endpoint end in the order in which they were submitted. A timeout of 0 is none.
  struct Submitted {
    UsbStatus status = UsbStatus::ok;
    TransferId id = kNoTransfer;
  };
  virtual Submitted submit(uint8_t endpoint, std::span<std::byte> data, int timeout_ms) = 0;
  // The end of a transfer. If it has not ended within timeout_ms, `ended` is false and the transfer
  // goes on. After an end its id is forgotten; an unknown id is `invalid`.
  struct Waited {
    bool ended = true;
    Transferred result;
  };
  virtual Waited wait(TransferId id, int timeout_ms) = 0;
  // Asks for an early end, which wait then returns (`cancelled`, or a real end that came first).
  virtual void cancel(TransferId id) = 0;
  virtual void cancel_all() = 0;

  // Submits and waits; in both directions. A transfer that does not end is cancelled.
  Transferred bulk(uint8_t endpoint, std::span<std::byte> data, int timeout_ms);
};

// A way to devices: libusb, or software.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual std::string_view name() const = 0;  // "usb", "virtual"
  // Everything attached, of any vendor, ordered by bus and ports. Error: device_transfer.
  virtual Result<std::vector<UsbDevice>> list() = 0;
  struct Opened {
    UsbStatus status = UsbStatus::ok;
    std::unique_ptr<UsbConnection> connection;  // only if ok
  };
  virtual Opened open(const UsbDevice& device) = 0;
};

}  // namespace edgetwin::edgetpu
