#include "targets/edgetpu/device/dfu.h"

#include <algorithm>
#include <cstring>

#include "targets/edgetpu/device/register_port.h"
#include "targets/edgetpu/device/usb_error.h"

namespace edgetwin::edgetpu {

namespace {

constexpr std::string_view kPhase = "firmware download";
constexpr size_t kStatusBytes = 6;
constexpr int kStatusTries = 20;  // while the device says that it is busy
constexpr int kLongestPauseMs = 500;
// The device may hold more than the image; this much more is believed.
constexpr size_t kMostExtra = size_t{1} << 20;

uint8_t byte_at(ByteSpan data, size_t i) { return std::to_integer<uint8_t>(data[i]); }

bool passing(DfuState state) {
  return state == DfuState::download_sync || state == DfuState::download_busy ||
         state == DfuState::manifest_sync || state == DfuState::manifest;
}

}  // namespace

Result<DfuInterface> find_dfu(ByteSpan configuration) {
  constexpr uint8_t kInterfaceDescriptor = 4;
  constexpr size_t kInterfaceBytes = 9, kFunctionalBytes = 9;
  DfuInterface found;
  bool inside = false;
  for (size_t at = 0; at + 2 <= configuration.size();) {
    const size_t length = byte_at(configuration, at);
    if (length < 2 || at + length > configuration.size())
      return Error(ErrorCode::device_answer,
                   "firmware download: a descriptor of " + std::to_string(length) + " bytes")
          .at_offset(at);
    const ByteSpan d = configuration.subspan(at, length);
    at += length;
    if (byte_at(d, 1) == kInterfaceDescriptor && length >= kInterfaceBytes) {
      inside = byte_at(d, 4) == 0 && byte_at(d, 5) == kDfuInterfaceClass &&
               byte_at(d, 6) == kDfuInterfaceSubclass;
      if (inside) found.number = byte_at(d, 2);
    } else if (inside && byte_at(d, 1) == kDfuFunctional && length >= kFunctionalBytes) {
      found.can_download = (byte_at(d, 2) & 1) != 0;
      found.can_upload = (byte_at(d, 2) & 2) != 0;
      found.transfer_size = static_cast<uint16_t>(byte_at(d, 5) | unsigned{byte_at(d, 6)} << 8);
      break;
    }
  }
  if (!found.can_download || found.transfer_size == 0)
    return Error(ErrorCode::device_answer,
                 "firmware download: no interface of the device takes a firmware")
        .detail("transfer size " + std::to_string(found.transfer_size));
  return found;
}

Status DfuClient::request(DfuRequest request, uint16_t value, ByteSpan data,
                          std::string_view what) {
  Bytes copy = to_bytes(data);
  const Transferred end =
      connection_.control(kDfuWrite, static_cast<uint8_t>(request), value,
                          static_cast<uint16_t>(interface_.number), copy, kControlTimeoutMs);
  if (!end.ok()) return usb_error(kPhase, what, end.status);
  if (end.size != data.size()) return short_error(kPhase, what, end.size, data.size());
  return Ok{};
}

Result<DfuStatus> DfuClient::status() {
  std::byte raw[kStatusBytes] = {};
  Transferred end;
  for (int attempt = 0; attempt < kControlTries; ++attempt) {
    end = connection_.control(kDfuRead, static_cast<uint8_t>(DfuRequest::get_status), 0,
                              static_cast<uint16_t>(interface_.number), raw, kControlTimeoutMs);
    if ((end.ok() && end.size == kStatusBytes) || end.status == UsbStatus::no_device) break;
  }
  if (!end.ok()) return usb_error(kPhase, "asking for the status", end.status);
  if (end.size != kStatusBytes)
    return short_error(kPhase, "asking for the status", end.size, kStatusBytes);
  DfuStatus s;
  s.status = byte_at(raw, 0);
  s.poll_timeout_ms = byte_at(raw, 1) | byte_at(raw, 2) << 8 | byte_at(raw, 3) << 16;
  s.state = static_cast<DfuState>(byte_at(raw, 4));
  return s;
}

Status DfuClient::expect(DfuState wanted, std::string_view after) {
  DfuStatus s;
  for (int attempt = 0; attempt < kStatusTries; ++attempt) {
    EDGETWIN_TRY_ASSIGN(s, status());
    if (s.status != 0 || !passing(s.state)) break;
    clock_.sleep_ms(std::clamp(s.poll_timeout_ms, 1, kLongestPauseMs));
  }
  if (s.status == 0 && s.state == wanted) return Ok{};
  return Error(ErrorCode::device_download, "the device does not take the firmware: after " +
                                               std::string(after) + " it is in " +
                                               std::string(name(s.state)))
      .detail("status " + std::to_string(s.status) + " (" + std::string(dfu_status(s.status)) +
              "), state " + std::to_string(static_cast<int>(s.state)) + ", awaited " +
              std::string(name(wanted)));
}

Status DfuClient::make_idle() {
  EDGETWIN_TRY_ASSIGN(const DfuStatus s, status());
  if (s.state == DfuState::idle && s.status == 0) return Ok{};
  const bool failed = s.state == DfuState::error;
  EDGETWIN_TRY(request(failed ? DfuRequest::clear_status : DfuRequest::abort, 0, {},
                       failed ? "clearing the status" : "giving up the last download"));
  return expect(DfuState::idle, "giving up the last download");
}

Status DfuClient::download(ByteSpan image) {
  const size_t step = interface_.transfer_size;
  uint16_t block = 0;
  for (size_t at = 0; at < image.size(); at += step, ++block) {
    const ByteSpan part = image.subspan(at, std::min(step, image.size() - at));
    const std::string what = "block " + std::to_string(at / step);
    EDGETWIN_TRY(request(DfuRequest::download, block, part, "sending " + what));
    EDGETWIN_TRY(expect(DfuState::download_idle, what));
  }
  EDGETWIN_TRY(request(DfuRequest::download, block, {}, "sending the end"));
  EDGETWIN_TRY(expect(DfuState::idle, "the end"));
  return interface_.can_upload ? verify(image) : Status(Ok{});
}

Status DfuClient::verify(ByteSpan image) {
  Bytes held;
  Bytes part(interface_.transfer_size);
  for (uint16_t block = 0;; ++block) {
    const Transferred end =
        connection_.control(kDfuRead, static_cast<uint8_t>(DfuRequest::upload), block,
                            static_cast<uint16_t>(interface_.number), part, kControlTimeoutMs);
    if (!end.ok()) return usb_error(kPhase, "reading the firmware back", end.status);
    const size_t size = std::min(end.size, part.size());
    held.insert(held.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(size));
    if (size < part.size()) break;
    if (held.size() > image.size() + kMostExtra)
      return Error(ErrorCode::device_answer, "firmware download: the read-back has no end");
  }
  const size_t common = std::min(held.size(), image.size());
  const auto differs = std::mismatch(
      image.begin(), image.begin() + static_cast<std::ptrdiff_t>(common), held.begin());
  const auto equal = static_cast<size_t>(differs.first - image.begin());
  if (equal == image.size()) return Ok{};
  return Error(ErrorCode::device_download, "the device holds another firmware than was sent")
      .detail("read back " + std::to_string(held.size()) + " bytes, sent " +
              std::to_string(image.size()) + "; the first difference is at byte " +
              std::to_string(equal));
}

}  // namespace edgetwin::edgetpu
