#include "targets/edgetpu/virtual_device/virtual_connection.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>

namespace edgetwin::edgetpu {
namespace {

constexpr uint8_t kInEndpoint = 0x80;
constexpr std::byte kDamage{0x5a};

struct Transfer {
  TransferId id = kNoTransfer;
  uint8_t endpoint = 0;
  std::span<std::byte> data;
  size_t moved = 0;
  int timeout_ms = 0;
  int waited_ms = 0;
  std::chrono::steady_clock::time_point begun;
  bool ended = false;
  UsbStatus status = UsbStatus::ok;
  std::optional<UsbFault> fault;
};

UsbStatus status_of(Reply reply) {
  switch (reply) {
    case Reply::done:
      return UsbStatus::ok;
    case Reply::nak:
      return UsbStatus::timeout;
    case Reply::stall:
      return UsbStatus::stall;
    case Reply::overflow:
      return UsbStatus::overflow;
  }
  return UsbStatus::io;
}

// What a fault makes of a transfer that has ended well. Outputs carry no sign of being whole but
// the bus's own, so that damage to them is an error of the transfer.
Transferred damaged(UsbFault fault, uint8_t endpoint, bool in, std::span<std::byte> data,
                    size_t size) {
  switch (fault) {
    case UsbFault::short_transfer:
      return {UsbStatus::ok, size / 2};
    case UsbFault::overflow:
      return {in ? UsbStatus::overflow : UsbStatus::io, 0};
    case UsbFault::garbage:
      if (!in || endpoint == endpoint::kOutput) return {UsbStatus::io, 0};
      for (std::byte& b : data.first(size)) b ^= kDamage;
      return {UsbStatus::ok, size};
    case UsbFault::stall:
      return {UsbStatus::stall, 0};
    case UsbFault::timeout:
      return {UsbStatus::timeout, 0};
    case UsbFault::disconnect:
      break;
  }
  return {UsbStatus::no_device, 0};
}

// Faults that keep a transfer from reaching the device.
bool keeps_away(UsbFault fault, bool in) {
  if (fault == UsbFault::short_transfer) return false;
  return !in || (fault != UsbFault::overflow && fault != UsbFault::garbage);
}

class VirtualConnection : public UsbConnection {
 public:
  explicit VirtualConnection(std::shared_ptr<PortState> port)
      : port_(std::move(port)), generation_(port_->generation), number_(++port_->connections) {}

  ~VirtualConnection() override {
    const std::lock_guard lock(port_->mutex);
    for (Transfer& t : transfers_) end_early(t);
    if (port_->claimed_by == number_) port_->claimed_by = 0;
  }

  UsbStatus claim(int interface) override {
    const std::lock_guard lock(port_->mutex);
    if (gone()) return UsbStatus::no_device;
    if (interface != 0) return UsbStatus::invalid;
    const bool other = port_->claimed_by != 0 && port_->claimed_by != number_;
    if (port_->options.in_use || other) return UsbStatus::busy;
    port_->claimed_by = number_;
    return UsbStatus::ok;
  }

  UsbStatus release(int interface) override {
    const std::lock_guard lock(port_->mutex);
    if (gone()) return UsbStatus::no_device;
    if (interface != 0 || port_->claimed_by != number_) return UsbStatus::invalid;
    port_->claimed_by = 0;
    return UsbStatus::ok;
  }

  UsbStatus reset() override {
    const std::lock_guard lock(port_->mutex);
    if (gone()) return UsbStatus::no_device;
    for (Transfer& t : transfers_) end_early(t);
    if (!port_->stick.port_reset()) return UsbStatus::ok;
    port_->leave();
    return UsbStatus::no_device;
  }

  Result<Bytes> device_descriptor() override {
    const std::lock_guard lock(port_->mutex);
    if (gone()) return Error(ErrorCode::device_lost, "the virtual device is gone");
    return port_->stick.device_descriptor();
  }
  Result<Bytes> configuration_descriptor() override {
    const std::lock_guard lock(port_->mutex);
    if (gone()) return Error(ErrorCode::device_lost, "the virtual device is gone");
    return port_->stick.configuration_descriptor();
  }

  Transferred control(uint8_t request_type, uint8_t request, uint16_t value, uint16_t index,
                      std::span<std::byte> data, int /*timeout_ms*/) override {
    const std::lock_guard lock(port_->mutex);
    if (gone()) return {UsbStatus::no_device, 0};
    const bool in = (request_type & kInEndpoint) != 0;
    const auto fault = next_fault({0, true, 0, request_type, request, data.size()});
    if (fault == UsbFault::disconnect) lose_power();
    if (fault && keeps_away(*fault, in)) return damaged(*fault, 0, in, data, 0);
    const Replied replied = port_->stick.control({request_type, request, value, index}, data);
    pump();
    if (fault && replied.reply == Reply::done) return damaged(*fault, 0, in, data, replied.size);
    return {status_of(replied.reply), replied.size};
  }

  Submitted submit(uint8_t endpoint, std::span<std::byte> data, int timeout_ms) override {
    const std::lock_guard lock(port_->mutex);
    if (gone()) return {UsbStatus::no_device, kNoTransfer};
    if (port_->claimed_by != number_) return {UsbStatus::invalid, kNoTransfer};
    Transfer t;
    t.id = ++next_;
    t.endpoint = endpoint;
    t.data = data;
    t.timeout_ms = timeout_ms;
    t.begun = std::chrono::steady_clock::now();
    const bool in = (endpoint & kInEndpoint) != 0;
    t.fault = next_fault({0, false, endpoint, 0, 0, data.size()});
    if (t.fault == UsbFault::disconnect) lose_power();
    if (t.fault && keeps_away(*t.fault, in)) {
      end(t, damaged(*t.fault, endpoint, in, data, 0));
    } else if (!in) {
      send(t);
    }
    transfers_.push_back(t);
    pump();
    return {UsbStatus::ok, t.id};
  }

  Waited wait(TransferId id, int timeout_ms) override {
    const std::lock_guard lock(port_->mutex);
    const auto found = std::find_if(transfers_.begin(), transfers_.end(),
                                    [id](const Transfer& t) { return t.id == id; });
    if (found == transfers_.end()) return {true, {UsbStatus::invalid, 0}};
    Transfer& t = *found;
    if (!t.ended && gone()) end(t, {UsbStatus::no_device, t.moved});
    if (!t.ended) pump();
    if (!t.ended && expired(t, timeout_ms)) {
      port_->stick.gave_up(t.endpoint);
      end(t, {UsbStatus::timeout, t.moved});
    }
    if (!t.ended) return {false, {}};
    const Waited waited{true, {t.status, t.moved}};
    transfers_.erase(found);
    return waited;
  }

  void cancel(TransferId id) override {
    const std::lock_guard lock(port_->mutex);
    for (Transfer& t : transfers_) {
      if (t.id == id) end_early(t);
    }
  }
  void cancel_all() override {
    const std::lock_guard lock(port_->mutex);
    for (Transfer& t : transfers_) end_early(t);
  }

 private:
  bool gone() const { return !port_->plugged || port_->generation != generation_; }

  std::optional<UsbFault> next_fault(AboutToMove about) {
    about.number = port_->traffic->count++;
    return port_->traffic->fault ? port_->traffic->fault(about) : std::nullopt;
  }

  void lose_power() {
    port_->stick.power_cycle();
    port_->leave();
  }

  static void end(Transfer& t, Transferred result) {
    t.ended = true;
    t.status = result.status;
    t.moved = result.size;
  }

  // Nothing but the transfers of this process can make the device go on, so that waiting is
  // counted, not done.
  static bool expired(Transfer& t, int timeout_ms) {
    if (t.timeout_ms == 0) return false;
    t.waited_ms += std::max(timeout_ms, 0);
    const auto real = std::chrono::steady_clock::now() - t.begun;
    return t.waited_ms >= t.timeout_ms || real >= std::chrono::milliseconds(t.timeout_ms);
  }

  void end_early(Transfer& t) {
    if (t.ended) return;
    if (!gone()) port_->stick.gave_up(t.endpoint);
    end(t, {gone() ? UsbStatus::no_device : UsbStatus::cancelled, t.moved});
  }

  void send(Transfer& t) {
    // Transfers of one endpoint end in order: after one that is stuck nothing moves.
    const bool blocked = std::any_of(transfers_.begin(), transfers_.end(), [&](const Transfer& o) {
      return !o.ended && o.endpoint == t.endpoint;
    });
    if (blocked) return;
    const size_t size = t.fault == UsbFault::short_transfer ? t.data.size() / 2 : t.data.size();
    const Replied replied = port_->stick.out(t.endpoint, t.data.first(size));
    t.moved = replied.size;
    if (replied.reply != Reply::nak) end(t, {status_of(replied.reply), replied.size});
  }

  // Gives waiting reads what there is; an output that was read may bring an event.
  void pump() {
    if (gone()) return;
    bool again = true;
    while (again) {
      again = false;
      bool blocked[16] = {};
      for (Transfer& t : transfers_) {
        bool& wait_here = blocked[t.endpoint & 0xfU];
        if (t.ended || (t.endpoint & kInEndpoint) == 0 || wait_here) continue;
        again = read(t) || again;
        wait_here = !t.ended;
      }
    }
  }

  // Whether anything moved.
  bool read(Transfer& t) {
    const Replied replied = port_->stick.in(t.endpoint, t.data.subspan(t.moved));
    t.moved += replied.size;
    if (replied.reply == Reply::nak) return replied.size > 0;
    Transferred result{status_of(replied.reply), t.moved};
    if (t.fault && result.ok()) result = damaged(*t.fault, t.endpoint, true, t.data, t.moved);
    end(t, result);
    return true;
  }

  std::shared_ptr<PortState> port_;
  uint64_t generation_;
  uint64_t number_;
  TransferId next_ = kNoTransfer;
  std::deque<Transfer> transfers_;
};

}  // namespace

std::unique_ptr<UsbConnection> make_virtual_connection(std::shared_ptr<PortState> port) {
  return std::make_unique<VirtualConnection>(std::move(port));
}

}  // namespace edgetwin::edgetpu
