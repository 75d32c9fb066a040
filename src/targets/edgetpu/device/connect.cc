#include "targets/edgetpu/device/connect.h"

#include "targets/edgetpu/device/dfu.h"
#include "targets/edgetpu/device/usb_error.h"

namespace edgetwin::edgetpu {

namespace {

Status claim(UsbConnection& connection, int interface, const std::string& path) {
  const UsbStatus status = connection.claim(interface);
  if (status == UsbStatus::ok) return Ok{};
  return usb_error("claim", "claiming interface " + std::to_string(interface) + " of " + path,
                   status);
}

// The whole way of one stick; keeps what every step needs.
class Connector {
 public:
  Connector(Transport& transport, const std::string& path, const FirmwareOptions& firmware,
            const ConnectTimes& times, Clock& clock)
      : transport_(transport), path_(path), firmware_(firmware), times_(times), clock_(clock) {}

  Result<Connected> connect() {
    EDGETWIN_TRY_ASSIGN(Opened opened, open(std::nullopt));
    EDGETWIN_TRY(check(*opened.connection, opened.device));
    EDGETWIN_TRY_ASSIGN(opened, reset(std::move(opened)));
    bool downloaded = false;
    if (stick_state(opened.device) == StickState::boot) {
      EDGETWIN_TRY_ASSIGN(const Firmware firmware, load_firmware(firmware_));
      EDGETWIN_TRY_ASSIGN(opened, download(std::move(opened), firmware.image));
      downloaded = true;
    }
    EDGETWIN_TRY(claim(*opened.connection, kInterface, path_));
    return Connected{opened.device, std::move(opened.connection), downloaded};
  }

 private:
  Result<Opened> open(std::optional<StickState> wanted) {
    return open_at(transport_, path_, wanted, times_.tries, times_.retry_ms, clock_);
  }

  // What the device says of itself, and that no other program works with it: a reset would hit it.
  Status check(UsbConnection& connection, const UsbDevice& device) {
    if (device.speed == UsbSpeed::low)
      return Error(ErrorCode::device_request,
                   "open: the device at " + path_ + " runs at low speed");
    EDGETWIN_TRY_ASSIGN(const Bytes raw, connection.device_descriptor());
    constexpr size_t kVendorAt = 8, kDescriptorBytes = 18;
    if (raw.size() < kDescriptorBytes)
      return short_error("open", "the device descriptor", raw.size(), kDescriptorBytes);
    const auto u16 = [&](size_t at) {
      return std::to_integer<unsigned>(raw[at]) | std::to_integer<unsigned>(raw[at + 1]) << 8;
    };
    if (u16(kVendorAt) != device.vendor || u16(kVendorAt + 2) != device.product)
      return Error(ErrorCode::device_answer,
                   "open: the device descriptor names another product than the bus");
    EDGETWIN_TRY(claim(connection, kInterface, path_));
    connection.release(kInterface);
    return Ok{};
  }

  // A reset recovers a device that an earlier program left in the middle of something.
  Result<Opened> reset(Opened opened) {
    leave(std::move(opened));
    clock_.sleep_ms(times_.settle_ms);
    return open(std::nullopt);
  }

  // Resets and closes. That the connection is dead afterwards, is usual.
  void leave(Opened opened) {
    opened.connection->reset();
    opened.connection.reset();
  }

  Status download_once(Opened& opened, ByteSpan image, bool again) {
    EDGETWIN_TRY_ASSIGN(const Bytes configuration, opened.connection->configuration_descriptor());
    EDGETWIN_TRY_ASSIGN(const DfuInterface interface, find_dfu(configuration));
    EDGETWIN_TRY(claim(*opened.connection, interface.number, path_));
    DfuClient dfu(*opened.connection, interface, clock_);
    Status done = again ? dfu.make_idle() : Status(Ok{});
    if (done.ok()) done = dfu.download(image);
    opened.connection->release(interface.number);
    return done;
  }

  Result<Opened> download(Opened opened, ByteSpan image) {
    for (int attempt = 1;; ++attempt) {
      Status done = download_once(opened, image, attempt > 1);
      if (done.ok()) break;
      if (attempt >= times_.download_tries || !worth_restart(done.error()))
        return std::move(done.error())
            .detail("attempt " + std::to_string(attempt) + " of " +
                    std::to_string(times_.download_tries));
      clock_.sleep_ms(times_.settle_ms);
      EDGETWIN_TRY_ASSIGN(opened, reset(std::move(opened)));
      if (stick_state(opened.device) == StickState::runtime) return opened;
    }
    leave(std::move(opened));
    clock_.sleep_ms(times_.reboot_ms);
    Result<Opened> back = open(StickState::runtime);
    if (!back.ok() && back.error().code == ErrorCode::device_enumeration)
      return std::move(back.error()).detail("the firmware was sent and read back without an error");
    return back;
  }

  Transport& transport_;
  const std::string& path_;
  const FirmwareOptions& firmware_;
  const ConnectTimes& times_;
  Clock& clock_;
};

}  // namespace

Result<Connected> connect(Transport& transport, const std::string& path,
                          const FirmwareOptions& firmware, const ConnectTimes& times,
                          Clock& clock) {
  return Connector(transport, path, firmware, times, clock).connect();
}

}  // namespace edgetwin::edgetpu
