#include "targets/edgetpu/virtual_device/stick/timing.h"

namespace edgetwin::edgetpu {
namespace {

// 4 MiB of parameters were seen to arrive in 13.6 ms at super speed; 40 MB/s is what high speed
// gives in practice.
constexpr int64_t kSuperBytesPerSecond = 300'000'000;
constexpr int64_t kHighBytesPerSecond = 40'000'000;
// A dense layer of 256 with its parameters on the chip takes 0.28 ms from call to result, with next
// to no bytes and arithmetic, in seven transfers: header and payload of instructions and of input,
// output, event.
constexpr int64_t kTransferNs = 40'000;
constexpr int64_t kControlNs = 30'000;
// 64 x 64 multipliers; of MobileNet-like networks about a tenth of them was seen to be busy: SSD
// MobileDet and PoseNet 481 x 641 need 12 and 17 ms.
constexpr int64_t kMultipliers = int64_t{64} * 64;
constexpr int64_t kBusyPercent = 10;
constexpr int64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

int64_t bulk_ns(StickSpeed speed, size_t bytes) {
  const int64_t rate = speed == StickSpeed::super ? kSuperBytesPerSecond : kHighBytesPerSecond;
  return kTransferNs + static_cast<int64_t>(bytes) * kNanosPerSecond / rate;
}

int64_t control_ns() { return kControlNs; }

int64_t compute_ns(int64_t macs, int megahertz) {
  if (megahertz <= 0) return 0;
  const int64_t per_microsecond = kMultipliers * kBusyPercent * megahertz / 100;
  return macs / per_microsecond * 1000 + macs % per_microsecond * 1000 / per_microsecond;
}

}  // namespace edgetwin::edgetpu
