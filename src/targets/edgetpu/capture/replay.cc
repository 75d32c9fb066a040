#include "targets/edgetpu/capture/replay.h"

#include <algorithm>

#include "base/text.h"
#include "targets/edgetpu/device/attached.h"
#include "targets/edgetpu/device/registers.h"

namespace edgetwin::edgetpu {
namespace {

constexpr int kReplayMs = 1000;
constexpr size_t kMostRead = size_t{1} << 24U;

std::string bytes_text(ByteSpan data) {
  std::string text = std::to_string(data.size()) + " bytes";
  if (data.empty() || data.size() > 8) return text;
  uint64_t value = 0;
  if (!data.empty()) std::memcpy(&value, data.data(), data.size());
  return hex_number(value);
}

class Replayer {
 public:
  explicit Replayer(UsbConnection& connection) : connection_(connection) {}

  void control(const UsbAction& a, bool compares) {
    const auto half = [&a](size_t k) {
      return static_cast<uint16_t>(a.setup[k] | uint32_t{a.setup[k + 1]} << 8U);
    };
    Bytes data = a.in() ? Bytes(a.asked) : a.data;
    const Transferred end =
        connection_.control(a.setup[0], a.setup[1], half(2), half(4), data, kReplayMs);
    data.resize(a.in() ? std::min(end.size, data.size()) : data.size());
    answer(a, end.status, data, compares);
  }

  void bulk(const UsbAction& a) {
    Bytes data = a.in() ? Bytes(std::min<size_t>(a.asked, kMostRead)) : a.data;
    const Transferred end = connection_.bulk(a.endpoint, data, kReplayMs);
    data.resize(a.in() ? std::min(end.size, data.size()) : data.size());
    answer(a, end.status, data, true);
  }

  Replayed take() { return std::move(replayed_); }
  void skip() { ++replayed_.skipped; }

 private:
  static std::string what(const UsbAction& a) {
    const RegisterInfo* r = a.is_register() ? find_register(a.address()) : nullptr;
    if (r != nullptr) return std::string(r->name);
    return "endpoint " + std::to_string(a.endpoint & 0x7fU) + (a.in() ? " in" : " out");
  }

  void answer(const UsbAction& a, UsbStatus status, const Bytes& data, bool compares) {
    ++replayed_.done;
    if (!compares) return;
    ++replayed_.compared;
    const bool good = a.status == 0;
    std::string text;
    if (good != (status == UsbStatus::ok)) {
      text = "it " + std::string(good ? "ended well" : "failed") +
             " in the capture, here: " + std::string(name(status));
    } else if (a.in() && good && data != a.data) {
      text = bytes_text(a.data) + " in the capture, " + bytes_text(data) + " here";
      const size_t size = std::min(data.size(), a.data.size());
      size_t first = 0;
      while (first < size && data[first] == a.data[first]) ++first;
      if (data.size() > 8) text += ", first at byte " + std::to_string(first);
    }
    if (!text.empty()) replayed_.differences.push_back({a.packet, what(a) + ": " + text});
  }

  UsbConnection& connection_;
  Replayed replayed_;
};

// A read of the same register follows: the driver waits for something.
bool polls(const std::vector<UsbAction>& actions, size_t n) {
  return n + 1 < actions.size() && actions[n].is_register() && actions[n].in() &&
         actions[n + 1].is_register() && actions[n + 1].in() &&
         actions[n].address() == actions[n + 1].address();
}

}  // namespace

Result<Replayed> replay(const std::vector<UsbAction>& actions, Transport& transport) {
  EDGETWIN_TRY_ASSIGN(const UsbDevice device, choose(transport, ""));
  auto opened = transport.open(device);
  if (opened.connection == nullptr || opened.connection->claim(kInterface) != UsbStatus::ok) {
    return Error(ErrorCode::device_unavailable, "the device cannot be opened");
  }
  Replayer replayer(*opened.connection);
  for (size_t n = 0; n < actions.size(); ++n) {
    const UsbAction& a = actions[n];
    const bool control = a.kind == UsbPacket::Kind::control;
    const bool taken_back = a.in() && a.status != 0 && !control;
    if (!a.status || taken_back || (control && !a.is_register())) {
      replayer.skip();
    } else if (control) {
      replayer.control(a, !polls(actions, n));
    } else {
      replayer.bulk(a);
    }
  }
  opened.connection->release(kInterface);
  return replayer.take();
}

}  // namespace edgetwin::edgetpu
