// One device that libusb has opened.
#pragma once

#include <memory>

#include "targets/edgetpu/device/transport.h"

struct libusb_context;
struct libusb_device_handle;

namespace edgetwin::edgetpu {

UsbStatus usb_status(int libusb_error);

// Takes the handle.
std::unique_ptr<UsbConnection> make_usb_connection(std::shared_ptr<libusb_context> context,
                                                   libusb_device_handle* handle);

}  // namespace edgetwin::edgetpu
