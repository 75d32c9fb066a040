#include "targets/edgetpu/device/usb_error.h"

namespace edgetwin::edgetpu {

ErrorCode error_code(UsbStatus status) {
  switch (status) {
    case UsbStatus::timeout:
      return ErrorCode::device_timeout;
    case UsbStatus::no_device:
      return ErrorCode::device_lost;
    case UsbStatus::busy:
      return ErrorCode::device_busy;
    case UsbStatus::access:
      return ErrorCode::device_permission;
    case UsbStatus::overflow:
      return ErrorCode::device_answer;
    default:
      return ErrorCode::device_transfer;
  }
}

Error usb_error(std::string_view phase, std::string_view what, UsbStatus status) {
  return Error(error_code(status), std::string(phase) + ": " + std::string(what) + " ended with '" +
                                       std::string(name(status)) + "'");
}

Error short_error(std::string_view phase, std::string_view what, size_t got, size_t wanted) {
  return Error(ErrorCode::device_answer, std::string(phase) + ": " + std::string(what) + " moved " +
                                             std::to_string(got) + " bytes of " +
                                             std::to_string(wanted));
}

bool worth_restart(const Error& error) {
  switch (error.code) {
    case ErrorCode::device_lost:
    case ErrorCode::device_enumeration:
    case ErrorCode::device_download:
    case ErrorCode::device_transfer:
    case ErrorCode::device_timeout:
    case ErrorCode::device_answer:
      return true;
    default:
      return false;
  }
}

}  // namespace edgetwin::edgetpu
