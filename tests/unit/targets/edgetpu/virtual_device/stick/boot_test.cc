// Descriptors, and the firmware download.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/targets/edgetpu/virtual_device/host.h"

namespace edgetwin::edgetpu {
namespace {

TEST(Descriptors, OfTheRunningDeviceAreThoseThatWereCaptured) {
  const uint8_t super[] = {0x12, 0x01, 0x10, 0x03, 0x00, 0x00, 0x00, 0x09, 0xd1,
                           0x18, 0x02, 0x93, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01};
  const Bytes d = stick_device_descriptor(StickMode::runtime, StickSpeed::super);
  EXPECT_TRUE(std::ranges::equal(d, std::as_bytes(std::span(super))));
  const Bytes high = stick_device_descriptor(StickMode::runtime, StickSpeed::high);
  EXPECT_EQ(high[2], std::byte{0x10});
  EXPECT_EQ(high[3], std::byte{0x02});
  EXPECT_EQ(high[7], std::byte{64});
  EXPECT_EQ(stick_configuration_descriptor(StickMode::runtime, StickSpeed::high).size(), 60U);
  EXPECT_EQ(stick_configuration_descriptor(StickMode::runtime, StickSpeed::super).size(), 96U);
}

TEST(Descriptors, EveryPartSaysHowLongItIs) {
  for (const StickMode mode : {StickMode::boot, StickMode::runtime}) {
    for (const StickSpeed speed : {StickSpeed::high, StickSpeed::super}) {
      const Bytes d = stick_configuration_descriptor(mode, speed);
      EXPECT_EQ(std::to_integer<size_t>(d[2]) + 256 * std::to_integer<size_t>(d[3]), d.size());
      size_t at = 0;
      while (at < d.size()) {
        ASSERT_NE(d[at], std::byte{0});
        at += std::to_integer<size_t>(d[at]);
      }
      EXPECT_EQ(at, d.size());
    }
  }
}

struct Boot : ::testing::Test {
  static StickOptions boot() {
    StickOptions o;
    o.mode = StickMode::boot;
    return o;
  }
  std::unique_ptr<Stick> made = std::make_unique<Stick>(boot(), nullptr);
  Stick& stick() { return *made; }
  void make(const StickOptions& options) { made = std::make_unique<Stick>(options, nullptr); }

  Replied request(DfuRequest r, uint16_t value, std::span<std::byte> data = {}) {
    const bool in =
        r == DfuRequest::upload || r == DfuRequest::get_status || r == DfuRequest::get_state;
    return stick().control({in ? kDfuRead : kDfuWrite, static_cast<uint8_t>(r), value, 0}, data);
  }
  // Status and state.
  std::pair<int, DfuState> status() {
    std::array<std::byte, 6> s{};
    EXPECT_EQ(request(DfuRequest::get_status, 0, s).size, 6U);
    return {std::to_integer<int>(s[0]), static_cast<DfuState>(s[4])};
  }
  void download(Bytes image) {
    uint16_t block = 0;
    for (size_t at = 0; at < image.size(); at += kDfuTransferBytes) {
      const size_t size = std::min(kDfuTransferBytes, image.size() - at);
      EXPECT_EQ(request(DfuRequest::download, block++, std::span(image).subspan(at, size)).size,
                size);
      EXPECT_EQ(status(), (std::pair{0, DfuState::download_idle}));
    }
    request(DfuRequest::download, block);
  }
};

Bytes firmware(size_t size) {
  Bytes b(size);
  for (size_t i = 0; i < size; ++i) b[i] = static_cast<std::byte>(i * 37);
  return b;
}

TEST_F(Boot, DownloadAndVerifyAndStart) {
  const Bytes image = firmware(10783);
  download(image);
  EXPECT_EQ(status(), (std::pair{0, DfuState::idle}));
  Bytes back;
  Bytes block(kDfuTransferBytes);
  for (uint16_t n = 0;; ++n) {
    const Replied r = request(DfuRequest::upload, n, block);
    ASSERT_EQ(r.reply, Reply::done);
    back.insert(back.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(r.size));
    if (r.size < block.size()) break;
  }
  EXPECT_EQ(back, image);
  EXPECT_EQ(stick().mode(), StickMode::boot);
  EXPECT_TRUE(stick().port_reset());
  EXPECT_EQ(stick().mode(), StickMode::runtime);
  EXPECT_TRUE(stick().findings().empty());
  // A reset of the running device is no new start; without power the firmware is gone.
  EXPECT_FALSE(stick().port_reset());
  stick().power_cycle();
  EXPECT_EQ(stick().mode(), StickMode::boot);
}

TEST_F(Boot, AResetInTheMiddleStartsNothing) {
  Bytes image = firmware(512);
  request(DfuRequest::download, 0, std::span(image).first(256));
  status();
  EXPECT_FALSE(stick().port_reset());
  EXPECT_EQ(stick().mode(), StickMode::boot);
}

TEST_F(Boot, BlocksAreCountedAndAskedFor) {
  Bytes block(256);
  request(DfuRequest::download, 0, block);
  EXPECT_EQ(request(DfuRequest::download, 1, block).reply, Reply::stall);  // no status between
  EXPECT_EQ(status().second, DfuState::error);
  EXPECT_EQ(request(DfuRequest::clear_status, 0).reply, Reply::done);
  request(DfuRequest::download, 0, block);
  status();
  EXPECT_EQ(request(DfuRequest::download, 2, block).reply, Reply::stall);  // out of order
  EXPECT_EQ(Host{stick()}.rules().size(), 2U);
}

TEST_F(Boot, WrongFirmwareDoesNotStart) {
  StickOptions options = boot();
  options.accept_firmware = [](ByteSpan image) { return image.size() == 3; };
  make(options);
  download(firmware(4));
  EXPECT_EQ(status(), (std::pair{10, DfuState::error}));
  EXPECT_FALSE(stick().port_reset());
  download(firmware(3));
  EXPECT_EQ(status(), (std::pair{0, DfuState::idle}));
  EXPECT_TRUE(stick().port_reset());
}

}  // namespace
}  // namespace edgetwin::edgetpu
