#include "usb/mock_bus.h"

#include <sys/ioctl.h>
// After the system's ioctl numbers.
#include <linux/usbdevice_fs.h>
#include <umockdev.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace edgetwin::usb_test {
namespace {

using edgetpu::Replied;
using edgetpu::Reply;
using edgetpu::Setup;
using edgetpu::Stick;
using edgetpu::StickMode;
using edgetpu::StickSpeed;

constexpr uint32_t kCapabilities = USBDEVFS_CAP_BULK_SCATTER_GATHER |
                                   USBDEVFS_CAP_NO_PACKET_SIZE_LIM |
                                   USBDEVFS_CAP_REAP_AFTER_DISCONNECT;
constexpr size_t kSetupBytes = 8;
constexpr const char* kHub = "/devices/usb1";
constexpr const char* kPort = "/devices/usb1/1-1";

std::string hex(ByteSpan data) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte b : data) {
    text += kDigits[std::to_integer<unsigned>(b) >> 4U];
    text += kDigits[std::to_integer<unsigned>(b) & 15U];
  }
  return text;
}

std::string three_digits(int number) {
  std::string text = std::to_string(number);
  return std::string(3 - std::min<size_t>(text.size(), 3), '0') + text;
}

std::string node(int address) { return "bus/usb/001/" + three_digits(address); }

std::string description(const std::string& path, int address, int speed, ByteSpan descriptors) {
  const std::string number = three_digits(address);
  return "P: " + path + "\nN: " + node(address) +
         "\nE: SUBSYSTEM=usb\nE: DRIVER=usb\nE: BUSNUM=001\nE: DEVNUM=" + number +
         "\nE: DEVNAME=/dev/" + node(address) +
         "\nE: DEVTYPE=usb_device\nA: bConfigurationValue=1\\n\nA: busnum=1\\n\nA: devnum=" +
         std::to_string(address) + "\\n\nA: speed=" + std::to_string(speed) +
         "\\n\nH: descriptors=" + hex(descriptors) + "\n";
}

// A root hub of a Linux host: its device and configuration descriptors.
Bytes hub_descriptors() {
  constexpr uint8_t kBytes[] = {0x12, 0x01, 0x00, 0x02, 0x09, 0x00, 0x01, 0x40, 0x6b, 0x1d, 0x02,
                                0x00, 0x01, 0x06, 0x00, 0x00, 0x00, 0x01, 0x09, 0x02, 0x19, 0x00,
                                0x01, 0x01, 0x00, 0xe0, 0x00, 0x09, 0x04, 0x00, 0x00, 0x01, 0x09,
                                0x00, 0x00, 0x00, 0x07, 0x05, 0x81, 0x03, 0x04, 0x00, 0x0c};
  return to_bytes(std::as_bytes(std::span(kBytes)));
}

struct Urb {
  UMockdevIoctlData* data = nullptr;  // of the host's structure, a reference of ours
  std::byte* buffer = nullptr;        // copied back when the host reaps
  size_t moved = 0;

  usbdevfs_urb& urb() const {
    return *reinterpret_cast<usbdevfs_urb*>(static_cast<void*>(data->data));
  }
  std::span<std::byte> bytes() const { return {buffer, static_cast<size_t>(urb().buffer_length)}; }
};

int error_of(Reply reply) {
  switch (reply) {
    case Reply::done:
      return 0;
    case Reply::stall:
      return -EPIPE;
    case Reply::overflow:
      return -EOVERFLOW;
    case Reply::nak:
      return -EINPROGRESS;
  }
  return -EPROTO;
}

}  // namespace

struct MockBus::Impl {
  Impl(const edgetpu::StickOptions& options, std::shared_ptr<edgetpu::Compute> compute)
      : stick(options, std::move(compute)) {
    bed = umockdev_testbed_new();
    handler = umockdev_ioctl_base_new();
    g_object_connect(handler, "signal-after::handle-ioctl", G_CALLBACK(&Impl::handle), this,
                     nullptr);
    add(kHub, description(kHub, 1, 480, hub_descriptors()));
    appear();
    worker = std::thread([this] { enumerate(); });
  }

  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      ending = true;
    }
    changed.notify_all();
    worker.join();
    g_object_unref(handler);
    g_object_unref(bed);
    for (Urb& u : flying) g_object_unref(u.data);
    for (Urb& u : done) g_object_unref(u.data);
  }

  void add(const std::string& path, const std::string& text) const {
    umockdev_testbed_add_from_string(bed, text.c_str(), nullptr);
    umockdev_testbed_uevent(bed, ("/sys" + path).c_str(), "add");
  }

  // With its present face, at a new address.
  void appear() {
    Bytes descriptors = stick.device_descriptor();
    const Bytes configuration = stick.configuration_descriptor();
    descriptors.insert(descriptors.end(), configuration.begin(), configuration.end());
    constexpr int kMost = 999;
    address = address % kMost + 1;
    umockdev_testbed_attach_ioctl(bed, ("/dev/" + node(address)).c_str(), handler, nullptr);
    add(kPort,
        description(kPort, address, stick.speed() == StickSpeed::super ? 5000 : 480, descriptors));
    present = true;
  }

  void disappear() {
    if (!present) return;
    present = false;
    const std::string sys = std::string("/sys") + kPort;
    umockdev_testbed_uevent(bed, sys.c_str(), "remove");
    umockdev_testbed_remove_device(bed, sys.c_str());
    umockdev_testbed_detach_ioctl(bed, ("/dev/" + node(address)).c_str(), nullptr);
  }

  // A stick that changes its face leaves the bus and comes back; not from within its own answer.
  void enumerate() {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return ending || other_face; });
      if (ending) return;
      other_face = false;
      lock.unlock();
      disappear();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      lock.lock();
      gone = false;
      lock.unlock();
      appear();
      lock.lock();
    }
  }

  static gboolean handle(UMockdevIoctlBase* /*base*/, UMockdevIoctlClient* client, gpointer self) {
    return static_cast<Impl*>(self)->answer(client) ? TRUE : FALSE;
  }

  bool answer(UMockdevIoctlClient* client) {
    const std::lock_guard lock(mutex);
    UMockdevIoctlData* arg = umockdev_ioctl_client_get_arg(client);
    const auto finish = [client](long result, int error) {
      umockdev_ioctl_client_complete(client, result, error);
      return true;
    };
    const gulong request = umockdev_ioctl_client_get_request(client);
    const bool reaps = request == USBDEVFS_REAPURB || request == USBDEVFS_REAPURBNDELAY;
    if (gone && !reaps) return finish(-1, ENODEV);
    switch (request) {
      case USBDEVFS_GET_CAPABILITIES: {
        UMockdevIoctlData* d = umockdev_ioctl_data_resolve(arg, 0, sizeof kCapabilities, nullptr);
        std::memcpy(d->data, &kCapabilities, sizeof kCapabilities);
        finish(0, 0);
        g_object_unref(d);
        return true;
      }
      case USBDEVFS_GETDRIVER:
        return finish(-1, ENODATA);
      case USBDEVFS_DISCONNECT_CLAIM:
      case USBDEVFS_CLAIMINTERFACE:
        if (claimed) return finish(-1, EBUSY);
        claimed = true;
        return finish(0, 0);
      case USBDEVFS_RELEASEINTERFACE:
        claimed = false;
        return finish(0, 0);
      case USBDEVFS_SETCONFIGURATION:
      case USBDEVFS_SETINTERFACE:
      case USBDEVFS_CLEAR_HALT:
        return finish(0, 0);
      case USBDEVFS_RESET:
        return reset(finish);
      case USBDEVFS_SUBMITURB:
        submit(arg);
        return finish(0, 0);
      case USBDEVFS_REAPURB:
      case USBDEVFS_REAPURBNDELAY:
        return reap(arg, finish);
      case USBDEVFS_DISCARDURB:
        return finish(discard(arg) ? 0 : -1, EINVAL);
      default:
        return finish(-1, ENOTTY);
    }
  }

  template <class Finish>
  bool reset(const Finish& finish) {
    cancel_all(-ENOENT);
    if (!stick.port_reset()) return finish(0, 0);
    gone = true;
    claimed = false;
    other_face = true;
    finish(-1, ENODEV);
    changed.notify_all();
    return true;
  }

  void submit(UMockdevIoctlData* arg) {
    ++count;
    Urb u;
    u.data = umockdev_ioctl_data_resolve(arg, 0, sizeof(usbdevfs_urb), nullptr);
    const auto size = static_cast<gsize>(u.urb().buffer_length);
    if (size > 0) {
      UMockdevIoctlData* buffer =
          umockdev_ioctl_data_resolve(u.data, offsetof(usbdevfs_urb, buffer), size, nullptr);
      u.buffer = reinterpret_cast<std::byte*>(buffer->data);
      g_object_unref(buffer);  // the structure holds it
    }
    if (u.urb().type == USBDEVFS_URB_TYPE_CONTROL) {
      control(u);
    } else {
      flying.push_back(u);
    }
    pump();
  }

  void end(Urb u, int status) {
    u.urb().status = status;
    u.urb().actual_length = static_cast<int>(u.moved);
    done.push_back(u);
  }

  void control(Urb u) {
    const std::span<std::byte> all = u.bytes();
    const auto byte = [&](size_t i) { return std::to_integer<uint8_t>(all[i]); };
    const auto word = [&](size_t i) {
      return static_cast<uint16_t>(byte(i) | (uint16_t{byte(i + 1)} << 8U));
    };
    const Setup setup{byte(0), byte(1), word(2), word(4)};
    const Replied r = stick.control(setup, all.subspan(kSetupBytes));
    u.moved = r.size;
    end(u, error_of(r.reply));
  }

  // Everything that can move does; after a transfer that cannot, its endpoint waits.
  void pump() {
    bool again = true;
    while (again) {
      again = false;
      bool blocked[256] = {};
      for (auto at = flying.begin(); at != flying.end();) {
        const uint8_t endpoint = at->urb().endpoint;
        if (blocked[endpoint]) {
          ++at;
          continue;
        }
        const std::span<std::byte> rest = at->bytes().subspan(at->moved);
        const Replied r =
            (endpoint & 0x80U) != 0 ? stick.in(endpoint, rest) : stick.out(endpoint, rest);
        at->moved += r.size;
        again = again || r.size > 0;
        if (r.reply == Reply::nak) {
          blocked[endpoint] = true;
          ++at;
          continue;
        }
        end(*at, error_of(r.reply));
        at = flying.erase(at);
      }
    }
  }

  template <class Finish>
  bool reap(UMockdevIoctlData* arg, const Finish& finish) {
    if (done.empty()) return finish(-1, gone ? ENODEV : EAGAIN);
    const Urb u = done.front();
    done.pop_front();
    UMockdevIoctlData* pointer = umockdev_ioctl_data_resolve(arg, 0, sizeof(void*), nullptr);
    umockdev_ioctl_data_set_ptr(pointer, 0, u.data);
    finish(0, 0);
    g_object_unref(pointer);
    g_object_unref(u.data);
    return true;
  }

  bool discard(UMockdevIoctlData* arg) {
    gulong wanted = 0;
    std::memcpy(&wanted, arg->data, sizeof wanted);
    const auto found = std::find_if(flying.begin(), flying.end(), [wanted](const Urb& u) {
      return u.data->client_addr == wanted;
    });
    if (found == flying.end()) return false;
    stick.gave_up(found->urb().endpoint);
    end(*found, -ENOENT);
    flying.erase(found);
    return true;
  }

  void cancel_all(int status) {
    for (Urb& u : flying) end(u, status);
    flying.clear();
  }

  Stick stick;
  UMockdevTestbed* bed = nullptr;
  UMockdevIoctlBase* handler = nullptr;
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::thread worker;
  bool ending = false, other_face = false, gone = false, claimed = false, present = false;
  int address = 1;
  std::list<Urb> flying;
  std::deque<Urb> done;
  uint64_t count = 0;
};

MockBus::MockBus(const edgetpu::StickOptions& options, std::shared_ptr<edgetpu::Compute> compute)
    : impl_(std::make_unique<Impl>(options, std::move(compute))) {}
MockBus::~MockBus() = default;

bool MockBus::works() { return umockdev_in_mock_environment() == TRUE; }
Stick& MockBus::stick() { return impl_->stick; }

void MockBus::unplug() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->gone = true;
    impl_->claimed = false;
    impl_->cancel_all(-ENODEV);
  }
  impl_->disappear();
}

void MockBus::plug() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->gone = false;
    impl_->stick.power_cycle();
  }
  impl_->appear();
}

uint64_t MockBus::urbs() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->count;
}

size_t MockBus::on_the_way() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->flying.size() + impl_->done.size();
}

}  // namespace edgetwin::usb_test
