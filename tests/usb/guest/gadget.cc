#include "usb/guest/gadget.h"

#include <fcntl.h>
#include <linux/usb/functionfs.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace edgetwin::usb_test {
namespace {

using namespace edgetpu;

constexpr size_t kConfigurationHeader = 9;
constexpr auto kPause = std::chrono::milliseconds(5);
constexpr uint8_t kIn = 0x80;

void put32(Bytes& to, uint32_t value) {
  const auto raw = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), raw.begin(), raw.end());
}

// Everything after the configuration's own descriptor.
Bytes inside(StickSpeed speed) {
  const Bytes all = stick_configuration_descriptor(StickMode::runtime, speed);
  return {all.begin() + kConfigurationHeader, all.end()};
}

uint32_t count(const Bytes& descriptors) {
  uint32_t n = 0;
  for (size_t at = 0; at < descriptors.size(); at += std::to_integer<size_t>(descriptors[at])) ++n;
  return n;
}

// The stick knows no full speed, but the kernel's function takes the numbers of its endpoints from
// these descriptors.
Bytes full_speed() {
  constexpr std::byte kEndpoint{5};
  constexpr std::byte kPacket{64};
  Bytes d = inside(StickSpeed::high);
  for (size_t at = 0; at < d.size(); at += std::to_integer<size_t>(d[at])) {
    if (d[at + 1] != kEndpoint) continue;
    d[at + 4] = kPacket;
    d[at + 5] = std::byte{0};
  }
  return d;
}

Bytes descriptors() {
  const Bytes speeds[] = {full_speed(), inside(StickSpeed::high), inside(StickSpeed::super)};
  Bytes all;
  put32(all, FUNCTIONFS_DESCRIPTORS_MAGIC_V2);
  size_t size = (3 + std::size(speeds)) * sizeof(uint32_t);
  for (const Bytes& d : speeds) size += d.size();
  put32(all, static_cast<uint32_t>(size));
  // The chip's requests are to the device, not to an interface.
  put32(all, FUNCTIONFS_HAS_FS_DESC | FUNCTIONFS_HAS_HS_DESC | FUNCTIONFS_HAS_SS_DESC |
                 FUNCTIONFS_ALL_CTRL_RECIP);
  for (const Bytes& d : speeds) put32(all, count(d));
  for (const Bytes& d : speeds) all.insert(all.end(), d.begin(), d.end());
  return all;
}

Bytes no_strings() {
  Bytes all;
  put32(all, FUNCTIONFS_STRINGS_MAGIC);
  put32(all, 4 * sizeof(uint32_t));
  put32(all, 0);
  put32(all, 0);
  return all;
}

bool write_all(int fd, const Bytes& data) {
  return ::write(fd, data.data(), data.size()) == static_cast<ssize_t>(data.size());
}

}  // namespace

Gadget::Gadget(Stick& stick, std::string folder) : stick_(stick), folder_(std::move(folder)) {}

std::string Gadget::prepare() {
  control_ = ::open((folder_ + "/ep0").c_str(), O_RDWR);
  if (control_ < 0) return "ep0 cannot be opened";
  if (!write_all(control_, descriptors())) return "the kernel refuses the descriptors";
  if (!write_all(control_, no_strings())) return "the kernel refuses the strings";
  return "";
}

void Gadget::serve() {
  std::thread([this] { control_loop(); }).detach();
  // Files are in the order of the descriptors.
  const uint8_t endpoints[] = {endpoint::kOut,    endpoint::kInput, endpoint::kParameters,
                               endpoint::kOutput, endpoint::kEvent, endpoint::kInterrupt};
  for (size_t i = 0; i < std::size(endpoints); ++i) {
    const uint8_t e = endpoints[i];
    const int fd = ::open((folder_ + "/ep" + std::to_string(i + 1)).c_str(), O_RDWR);
    if (fd < 0) continue;
    if (e == endpoint::kOut) std::thread([this, fd] { out_loop(fd); }).detach();
    if ((e & kIn) != 0) std::thread([this, fd, e] { in_loop(fd, e); }).detach();
  }
}

void Gadget::control_loop() {
  usb_functionfs_event event{};
  while (::read(control_, &event, sizeof event) == static_cast<ssize_t>(sizeof event)) {
    switch (event.type) {
      case FUNCTIONFS_ENABLE:
        enabled_ = true;
        moved_.notify_all();
        break;
      case FUNCTIONFS_DISABLE: {
        enabled_ = false;
        const std::lock_guard lock(mutex_);
        stick_.port_reset();
        break;
      }
      case FUNCTIONFS_SETUP:
        setup(&event.u.setup);
        break;
      default:
        break;
    }
  }
}

void Gadget::setup(const void* packet) {
  usb_ctrlrequest r{};
  std::memcpy(&r, packet, sizeof r);
  const Setup request{r.bRequestType, r.bRequest, r.wValue, r.wIndex};
  Bytes data(r.wLength);
  const bool in = (r.bRequestType & kIn) != 0;
  if (!in && ::read(control_, data.data(), data.size()) < 0) return;
  std::unique_lock lock(mutex_);
  const Replied replied = stick_.control(request, data);
  lock.unlock();
  moved_.notify_all();
  if (!in) return;
  // A transfer in the other direction than asked for is how the kernel is told to stall.
  const ssize_t done = replied.reply == Reply::done ? ::write(control_, data.data(), replied.size)
                                                    : ::read(control_, data.data(), 0);
  static_cast<void>(done);
}

// One packet at a time: a read ends only when its buffer is full, or at a short packet.
void Gadget::out_loop(int fd) {
  Bytes packet(packet_bytes(StickSpeed::super));
  while (true) {
    const ssize_t size = ::read(fd, packet.data(), packet.size());
    if (size < 0) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    ByteSpan rest = ByteSpan(packet).first(static_cast<size_t>(size));
    while (!rest.empty()) {
      std::unique_lock lock(mutex_);
      const Replied replied = stick_.out(endpoint::kOut, rest);
      rest = rest.subspan(replied.size);
      if (replied.reply == Reply::done) break;
      // Refused until something else changes; a reset throws it away.
      moved_.wait_for(lock, kPause);
      if (!enabled_) break;
    }
    moved_.notify_all();
  }
}

void Gadget::in_loop(int fd, uint8_t endpoint) {
  Bytes packet(packet_bytes(StickSpeed::super));
  while (true) {
    size_t size = 0;
    {
      std::unique_lock lock(mutex_);
      if (enabled_) size = stick_.in(endpoint, packet).size;
      if (size == 0) {
        moved_.wait_for(lock, kPause);
        continue;
      }
    }
    moved_.notify_all();
    while (::write(fd, packet.data(), size) < 0 && errno == EAGAIN) {
      std::this_thread::sleep_for(kPause);
    }
  }
}

}  // namespace edgetwin::usb_test
