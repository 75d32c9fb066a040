#include "targets/edgetpu/libusb/usb_connection.h"

#include <libusb-1.0/libusb.h>
#include <sys/time.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "targets/edgetpu/device/registers.h"

namespace edgetwin::edgetpu {

namespace {

constexpr int kLastWaitMs = 1000;  // for the end of cancelled transfers before closing

UsbStatus ended_as(libusb_transfer_status status) {
  switch (status) {
    case LIBUSB_TRANSFER_COMPLETED:
      return UsbStatus::ok;
    case LIBUSB_TRANSFER_TIMED_OUT:
      return UsbStatus::timeout;
    case LIBUSB_TRANSFER_CANCELLED:
      return UsbStatus::cancelled;
    case LIBUSB_TRANSFER_STALL:
      return UsbStatus::stall;
    case LIBUSB_TRANSFER_NO_DEVICE:
      return UsbStatus::no_device;
    case LIBUSB_TRANSFER_OVERFLOW:
      return UsbStatus::overflow;
    case LIBUSB_TRANSFER_ERROR:
      break;
  }
  return UsbStatus::io;
}

// One transfer; libusb calls back into it from whichever thread handles events.
struct Flight {
  libusb_transfer* transfer = nullptr;
  int ended = 0;  // libusb's own flag of completion

  static void LIBUSB_CALL done(libusb_transfer* transfer) {
    static_cast<Flight*>(transfer->user_data)->ended = 1;
  }
};

class LibusbConnection : public UsbConnection {
 public:
  LibusbConnection(std::shared_ptr<libusb_context> context, libusb_device_handle* handle)
      : context_(std::move(context)), handle_(handle) {
    // Where the system has none of that, there is no driver to detach.
    libusb_set_auto_detach_kernel_driver(handle_, 1);
  }
  LibusbConnection(const LibusbConnection&) = delete;
  LibusbConnection& operator=(const LibusbConnection&) = delete;

  ~LibusbConnection() override {
    cancel_all();
    while (!flights_.empty()) {
      const auto oldest = flights_.begin();
      if (wait(oldest->first, kLastWaitMs).ended) continue;
      // libusb still holds it: losing its memory is better than freeing it.
      static_cast<void>(oldest->second.release());
      flights_.erase(oldest);
    }
    for (const auto& flight : spare_) libusb_free_transfer(flight->transfer);
    for (const int interface : claimed_) libusb_release_interface(handle_, interface);
    libusb_close(handle_);
  }

  UsbStatus claim(int interface) override {
    const int result = libusb_claim_interface(handle_, interface);
    if (result == 0) claimed_.insert(interface);
    return usb_status(result);
  }

  UsbStatus release(int interface) override {
    claimed_.erase(interface);
    return usb_status(libusb_release_interface(handle_, interface));
  }

  UsbStatus reset() override { return usb_status(libusb_reset_device(handle_)); }

  Result<Bytes> device_descriptor() override {
    libusb_device_descriptor d{};
    const int result = libusb_get_device_descriptor(libusb_get_device(handle_), &d);
    if (result != 0) return descriptor_error(result);
    // The members have the order and sizes of the wire, and no gaps.
    static_assert(sizeof d == LIBUSB_DT_DEVICE_SIZE);
    return to_bytes(std::as_bytes(std::span(&d, 1)));
  }

  Result<Bytes> configuration_descriptor() override {
    constexpr int kMost = 4096;
    Bytes raw(kMost);
    const int result = libusb_get_descriptor(handle_, LIBUSB_DT_CONFIG, 0,
                                             reinterpret_cast<unsigned char*>(raw.data()), kMost);
    if (result < 0) return descriptor_error(result);
    raw.resize(static_cast<size_t>(result));
    return raw;
  }

  Transferred control(uint8_t request_type, uint8_t request, uint16_t value, uint16_t index,
                      std::span<std::byte> data, int timeout_ms) override {
    if (data.size() > std::numeric_limits<uint16_t>::max()) return {UsbStatus::invalid, 0};
    const int result = libusb_control_transfer(
        handle_, request_type, request, value, index, reinterpret_cast<unsigned char*>(data.data()),
        static_cast<uint16_t>(data.size()), static_cast<unsigned>(timeout_ms));
    if (result < 0) return {usb_status(result), 0};
    return {UsbStatus::ok, static_cast<size_t>(result)};
  }

  Submitted submit(uint8_t endpoint, std::span<std::byte> data, int timeout_ms) override {
    if (data.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
      return {UsbStatus::invalid, kNoTransfer};
    std::unique_ptr<Flight> flight = spare_flight();
    if (flight == nullptr) return {UsbStatus::no_memory, kNoTransfer};
    libusb_transfer& t = *flight->transfer;
    t.dev_handle = handle_;
    t.endpoint = endpoint;
    t.type = endpoint == endpoint::kInterrupt ? LIBUSB_TRANSFER_TYPE_INTERRUPT
                                              : LIBUSB_TRANSFER_TYPE_BULK;
    t.timeout = static_cast<unsigned>(timeout_ms);
    t.buffer = reinterpret_cast<unsigned char*>(data.data());
    t.length = static_cast<int>(data.size());
    t.user_data = flight.get();
    t.callback = Flight::done;
    const int result = libusb_submit_transfer(&t);
    const std::lock_guard lock(mutex_);
    if (result != 0) {
      spare_.push_back(std::move(flight));
      return {usb_status(result), kNoTransfer};
    }
    flights_.emplace(++last_, std::move(flight));
    return {UsbStatus::ok, last_};
  }

  Waited wait(TransferId id, int timeout_ms) override {
    Flight* flight = find(id);
    if (flight == nullptr) return {true, {UsbStatus::invalid, 0}};
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);
    do {
      const auto left =
          std::chrono::duration_cast<std::chrono::microseconds>(end - Clock::now()).count();
      const int64_t us = std::max<int64_t>(left, 0);
      timeval tv{};
      tv.tv_sec = us / 1'000'000;
      tv.tv_usec = us % 1'000'000;
      const int result =
          libusb_handle_events_timeout_completed(context_.get(), &tv, &flight->ended);
      if (result != 0 && result != LIBUSB_ERROR_INTERRUPTED) break;
    } while (flight->ended == 0 && Clock::now() < end);
    if (flight->ended == 0) return {false, {}};
    const libusb_transfer& t = *flight->transfer;
    const Waited waited{true,
                        {ended_as(t.status), static_cast<size_t>(std::max(t.actual_length, 0))}};
    const std::lock_guard lock(mutex_);
    const auto found = flights_.find(id);
    spare_.push_back(std::move(found->second));
    flights_.erase(found);
    return waited;
  }

  void cancel(TransferId id) override {
    const std::lock_guard lock(mutex_);
    const auto found = flights_.find(id);
    if (found != flights_.end()) libusb_cancel_transfer(found->second->transfer);
  }

  void cancel_all() override {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, flight] : flights_)
      if (flight->ended == 0) libusb_cancel_transfer(flight->transfer);
  }

 private:
  static Error descriptor_error(int result) {
    return {ErrorCode::device_transfer, std::string("open: reading the descriptors ended with '") +
                                            libusb_error_name(result) + "'"};
  }

  Flight* find(TransferId id) {
    const std::lock_guard lock(mutex_);
    const auto found = flights_.find(id);
    return found == flights_.end() ? nullptr : found->second.get();
  }

  std::unique_ptr<Flight> spare_flight() {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      std::unique_ptr<Flight> flight = std::move(spare_.back());
      spare_.pop_back();
      flight->ended = 0;
      return flight;
    }
    auto flight = std::make_unique<Flight>();
    flight->transfer = libusb_alloc_transfer(0);
    return flight->transfer == nullptr ? nullptr : std::move(flight);
  }

  std::shared_ptr<libusb_context> context_;
  libusb_device_handle* handle_;
  std::set<int> claimed_;
  std::mutex mutex_;  // of what follows: cancel_all may come from another thread
  std::map<TransferId, std::unique_ptr<Flight>> flights_;
  std::vector<std::unique_ptr<Flight>> spare_;
  TransferId last_ = kNoTransfer;
};

}  // namespace

UsbStatus usb_status(int libusb_error) {
  switch (libusb_error) {
    case LIBUSB_SUCCESS:
      return UsbStatus::ok;
    case LIBUSB_ERROR_INVALID_PARAM:
      return UsbStatus::invalid;
    case LIBUSB_ERROR_ACCESS:
      return UsbStatus::access;
    case LIBUSB_ERROR_NO_DEVICE:
    case LIBUSB_ERROR_NOT_FOUND:
      return UsbStatus::no_device;
    case LIBUSB_ERROR_BUSY:
      return UsbStatus::busy;
    case LIBUSB_ERROR_TIMEOUT:
      return UsbStatus::timeout;
    case LIBUSB_ERROR_OVERFLOW:
      return UsbStatus::overflow;
    case LIBUSB_ERROR_PIPE:
      return UsbStatus::stall;
    case LIBUSB_ERROR_INTERRUPTED:
      return UsbStatus::cancelled;
    case LIBUSB_ERROR_NO_MEM:
      return UsbStatus::no_memory;
    default:
      return UsbStatus::io;
  }
}

std::unique_ptr<UsbConnection> make_usb_connection(std::shared_ptr<libusb_context> context,
                                                   libusb_device_handle* handle) {
  return std::make_unique<LibusbConnection>(std::move(context), handle);
}

}  // namespace edgetwin::edgetpu
