#include "targets/edgetpu/libusb/usb_transport.h"

#include <libusb-1.0/libusb.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "targets/edgetpu/libusb/usb_connection.h"

namespace edgetwin::edgetpu {

namespace {

UsbSpeed speed_of(libusb_device* device) {
  switch (libusb_get_device_speed(device)) {
    case LIBUSB_SPEED_LOW:
      return UsbSpeed::low;
    case LIBUSB_SPEED_FULL:
      return UsbSpeed::full;
    case LIBUSB_SPEED_HIGH:
      return UsbSpeed::high;
    case LIBUSB_SPEED_SUPER:
      return UsbSpeed::super;
    case LIBUSB_SPEED_SUPER_PLUS:
      return UsbSpeed::super_plus;
    default:
      return UsbSpeed::unknown;
  }
}

UsbDevice describe(libusb_device* device) {
  UsbDevice d;
  d.bus = libusb_get_bus_number(device);
  d.address = libusb_get_device_address(device);
  std::array<uint8_t, 7> ports{};
  const int depth = libusb_get_port_numbers(device, ports.data(), static_cast<int>(ports.size()));
  for (int i = 0; i < depth; ++i) d.ports.push_back(ports[static_cast<size_t>(i)]);
  libusb_device_descriptor descriptor{};
  if (libusb_get_device_descriptor(device, &descriptor) == 0) {
    d.vendor = descriptor.idVendor;
    d.product = descriptor.idProduct;
  }
  d.speed = speed_of(device);
  return d;
}

class UsbTransport : public Transport {
 public:
  explicit UsbTransport(std::shared_ptr<libusb_context> context) : context_(std::move(context)) {}

  std::string_view name() const override { return "usb"; }

  Result<std::vector<UsbDevice>> list() override {
    std::vector<UsbDevice> all;
    const int failed = each([&](libusb_device* device) {
      all.push_back(describe(device));
      return false;
    });
    if (failed != 0)
      return Error(ErrorCode::device_transfer,
                   std::string("enumeration: libusb says '") + libusb_error_name(failed) + "'");
    std::ranges::sort(all, {}, [](const UsbDevice& d) { return std::tie(d.bus, d.ports); });
    return all;
  }

  Opened open(const UsbDevice& wanted) override {
    Opened opened{UsbStatus::no_device, nullptr};
    const int failed = each([&](libusb_device* device) {
      if (describe(device) != wanted) return false;
      libusb_device_handle* handle = nullptr;
      const int result = libusb_open(device, &handle);
      opened.status = usb_status(result);
      if (result == 0) opened.connection = make_usb_connection(context_, handle);
      return true;
    });
    if (failed != 0) opened.status = usb_status(failed);
    return opened;
  }

 private:
  // Until `visit` says that it is enough. A negative number is libusb's error.
  template <class Visit>
  int each(const Visit& visit) {
    libusb_device** devices = nullptr;
    const auto count = libusb_get_device_list(context_.get(), &devices);
    if (count < 0) return static_cast<int>(count);
    for (ssize_t i = 0; i < count; ++i)
      if (visit(devices[i])) break;
    libusb_free_device_list(devices, 1);
    return 0;
  }

  std::shared_ptr<libusb_context> context_;
};

}  // namespace

Result<std::shared_ptr<Transport>> usb_transport() {
  libusb_context* context = nullptr;
  const int result = libusb_init(&context);
  if (result != 0)
    return Error(ErrorCode::device_unavailable,
                 std::string("USB cannot be used here: libusb says '") + libusb_error_name(result) +
                     "'")
        .with_hint("a container needs /dev/bus/usb as a whole: the device changes its address");
  return {std::make_shared<UsbTransport>(std::shared_ptr<libusb_context>(context, libusb_exit))};
}

}  // namespace edgetwin::edgetpu
