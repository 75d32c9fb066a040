#include <algorithm>
#include <cstring>
#include <optional>

#include "unit/targets/edgetpu/driver/fake_stick.h"

namespace edgetwin::edgetpu {

namespace {

class FakeConnection : public UsbConnection {
 public:
  explicit FakeConnection(FakeStick& stick) : stick_(stick) { ++stick_.open_connections; }
  ~FakeConnection() override {
    if (claimed_) --stick_.claims;
    --stick_.open_connections;
  }

  UsbStatus claim(int /*interface*/) override {
    if (dead()) return UsbStatus::no_device;
    if (stick_.claimed_elsewhere) return UsbStatus::busy;
    if (!claimed_) ++stick_.claims;
    claimed_ = true;
    return UsbStatus::ok;
  }
  UsbStatus release(int /*interface*/) override {
    if (claimed_) --stick_.claims;
    claimed_ = false;
    return UsbStatus::ok;
  }
  UsbStatus reset() override {
    if (dead()) return UsbStatus::no_device;
    stick_.port_reset();
    gone_ = true;
    return UsbStatus::ok;
  }

  Result<Bytes> device_descriptor() override {
    Bytes raw(18);
    const uint16_t ids[2] = {stick_.boot ? kBootVendor : kRuntimeVendor,
                             stick_.boot ? kBootProduct : kRuntimeProduct};
    std::memcpy(raw.data() + 8, ids, sizeof ids);
    return raw;
  }
  Result<Bytes> configuration_descriptor() override {
    constexpr uint8_t kRaw[] = {9,    2, 27, 0, 1, 1,    0, 0x80, 0, 9, 4, 0,    0, 0,
                                0xfe, 1, 2,  0, 9, 0x21, 3, 100,  0, 0, 1, 0x10, 1};
    return to_bytes(std::as_bytes(std::span(kRaw)));
  }

  Transferred control(uint8_t type, uint8_t request, uint16_t value, uint16_t index,
                      std::span<std::byte> data, int /*timeout_ms*/) override {
    if (dead()) return {UsbStatus::no_device, 0};
    const bool strikes = stick_.faults.strikes();
    if (strikes && stick_.faults.kind != FaultKind::garbage) return strike(data.size());
    Transferred end = stick_.control(type, request, value, index, data);
    if (strikes && (type & 0x80) != 0) std::ranges::fill(data, std::byte{0xa5});
    return end;
  }

  Submitted submit(uint8_t endpoint, std::span<std::byte> data, int /*timeout_ms*/) override {
    if (dead()) return {UsbStatus::no_device, kNoTransfer};
    Transfer t{next_++, endpoint, data, {}};
    const bool counted = endpoint != endpoint::kInterrupt;
    t.strikes = counted && stick_.faults.strikes();
    if ((endpoint & 0x80) == 0 && !t.strikes)
      t.end = Transferred{stick_.out(data), data.size()};
    else if ((endpoint & 0x80) == 0)
      t.end = strike(data.size());
    transfers_.push_back(t);
    return {UsbStatus::ok, t.id};
  }

  Waited wait(TransferId id, int timeout_ms) override {
    const auto found = std::ranges::find(transfers_, id, &Transfer::id);
    if (found == transfers_.end()) return {true, {UsbStatus::invalid, 0}};
    serve(*found);
    if (!found->end && dead()) found->end = Transferred{UsbStatus::no_device, 0};
    // Nothing comes any more on a bus without time of its own: a long wait is one that fails.
    if (!found->end) {
      waited_ms_ += timeout_ms;
      return {false, {}};
    }
    const Transferred end = *found->end;
    transfers_.erase(found);
    return {true, end};
  }
  void cancel(TransferId id) override {
    const auto found = std::ranges::find(transfers_, id, &Transfer::id);
    if (found != transfers_.end() && !found->end) found->end = Transferred{UsbStatus::cancelled, 0};
  }
  void cancel_all() override {
    for (Transfer& t : transfers_)
      if (!t.end) t.end = Transferred{UsbStatus::cancelled, 0};
  }

 private:
  struct Transfer {
    TransferId id;
    uint8_t endpoint;
    std::span<std::byte> data;
    std::optional<Transferred> end;
    bool strikes = false;
  };

  bool dead() const { return gone_ || !stick_.plugged; }

  void serve(Transfer& t) {
    if (t.end || dead()) return;
    std::optional<Transferred> end = stick_.in(t.endpoint, t.data);
    if (!end) return;
    t.end = end;
    if (!t.strikes) return;
    if (stick_.faults.kind == FaultKind::garbage)
      std::ranges::fill(t.data.first(end->size), std::byte{0xa5});
    else
      t.end = strike(end->size);
  }

  Transferred strike(size_t size) {
    switch (stick_.faults.kind) {
      case FaultKind::disconnect:
        gone_ = true;
        return {UsbStatus::no_device, 0};
      case FaultKind::stall:
        return {UsbStatus::stall, 0};
      case FaultKind::timeout:
        return {UsbStatus::timeout, 0};
      case FaultKind::short_transfer:
        return {UsbStatus::ok, size / 2};
      case FaultKind::overflow:
        return {UsbStatus::overflow, size};
      case FaultKind::garbage:
        return {UsbStatus::ok, size};
    }
    return {UsbStatus::io, 0};
  }

  FakeStick& stick_;
  std::vector<Transfer> transfers_;
  TransferId next_ = 1;
  bool claimed_ = false;
  bool gone_ = false;
  int64_t waited_ms_ = 0;
};

class FakeBus : public Transport {
 public:
  explicit FakeBus(FakeStick& stick) : stick_(stick) {}
  std::string_view name() const override { return "fake"; }
  Result<std::vector<UsbDevice>> list() override {
    std::vector<UsbDevice> all = {{1, 1, {}, 0x1d6b, 2, UsbSpeed::high}};
    if (stick_.plugged)
      all.push_back({1,
                     2 + stick_.resets,
                     {2},
                     stick_.boot ? kBootVendor : kRuntimeVendor,
                     stick_.boot ? kBootProduct : kRuntimeProduct,
                     stick_.speed});
    return all;
  }
  Opened open(const UsbDevice& /*device*/) override {
    if (!stick_.plugged) return {UsbStatus::no_device, nullptr};
    if (!stick_.permitted) return {UsbStatus::access, nullptr};
    return {UsbStatus::ok, std::make_unique<FakeConnection>(stick_)};
  }

 private:
  FakeStick& stick_;
};

}  // namespace

std::shared_ptr<Transport> fake_bus(FakeStick& stick) { return std::make_shared<FakeBus>(stick); }

}  // namespace edgetwin::edgetpu
