#include "targets/edgetpu/virtual_device/stick/dfu.h"

#include <algorithm>

#include "targets/edgetpu/virtual_device/stick/descriptors.h"

namespace edgetwin::edgetpu {
namespace {

// Status codes of the standard.
constexpr uint8_t kOk = 0, kErrAddress = 8, kErrFirmware = 10, kErrStalled = 15;
constexpr size_t kStatusBytes = 6;

}  // namespace

std::optional<size_t> Dfu::refuse(uint8_t status, std::string message) {
  findings_.add(StickRule::firmware, "firmware download", std::move(message));
  state_ = DfuState::error;
  status_ = status;
  return std::nullopt;
}

std::optional<size_t> Dfu::request(uint8_t code, uint16_t value, std::span<std::byte> data) {
  switch (static_cast<DfuRequest>(code)) {
    case DfuRequest::detach:
      return 0;
    case DfuRequest::download:
      return download(value, data);
    case DfuRequest::upload:
      return upload(value, data);
    case DfuRequest::get_status:
      return status(data);
    case DfuRequest::clear_status:
      if (state_ != DfuState::error) return refuse(kErrStalled, "CLRSTATUS without an error");
      state_ = DfuState::idle;
      status_ = kOk;
      return 0;
    case DfuRequest::get_state:
      if (data.empty()) return std::nullopt;
      data[0] = static_cast<std::byte>(state_);
      return 1;
    case DfuRequest::abort:
      if (state_ == DfuState::error) return std::nullopt;
      state_ = DfuState::idle;
      return 0;
  }
  return refuse(kErrStalled, "request " + std::to_string(code) + " does not exist");
}

std::optional<size_t> Dfu::download(uint16_t block, ByteSpan data) {
  const bool first = state_ == DfuState::idle;
  if (!first && state_ != DfuState::download_idle) {
    return refuse(kErrStalled, "DNLOAD in state " + std::string(name(state_)) +
                                   ": a status request comes after every block");
  }
  if (first) {
    image_.clear();
    whole_ = false;
    next_block_ = 0;
    if (data.empty()) return refuse(kErrStalled, "the first block is empty");
  }
  if (data.empty()) {
    whole_ = true;
    state_ = DfuState::manifest_sync;
    return 0;
  }
  if (data.size() > kDfuTransferBytes) {
    return refuse(kErrAddress, "a block of " + std::to_string(data.size()) +
                                   " bytes; the limit is " + std::to_string(kDfuTransferBytes));
  }
  if (block != next_block_) {
    return refuse(kErrAddress, "block " + std::to_string(block) + " came, block " +
                                   std::to_string(next_block_) + " was next");
  }
  if (image_.size() + data.size() > kMaxImage) {
    return refuse(kErrAddress, "more than " + std::to_string(kMaxImage) + " bytes of firmware");
  }
  ++next_block_;
  image_.insert(image_.end(), data.begin(), data.end());
  state_ = DfuState::download_sync;
  return data.size();
}

std::optional<size_t> Dfu::upload(uint16_t block, std::span<std::byte> data) {
  if (state_ != DfuState::idle && state_ != DfuState::upload_idle) {
    return refuse(kErrStalled, "UPLOAD in state " + std::string(name(state_)));
  }
  const size_t from = std::min(image_.size(), size_t{block} * kDfuTransferBytes);
  const size_t size = std::min({data.size(), kDfuTransferBytes, image_.size() - from});
  std::copy_n(image_.begin() + static_cast<std::ptrdiff_t>(from), size, data.begin());
  state_ = size < data.size() ? DfuState::idle : DfuState::upload_idle;
  return size;
}

std::optional<size_t> Dfu::status(std::span<std::byte> data) {
  if (state_ == DfuState::download_sync) state_ = DfuState::download_idle;
  if (state_ == DfuState::manifest_sync) {
    const bool good = accept_ ? accept_(image_) : !image_.empty();
    if (!good) {
      refuse(kErrFirmware, "this firmware does not start here");
      whole_ = false;
    } else {
      state_ = DfuState::idle;
    }
  }
  if (data.size() < kStatusBytes) return std::nullopt;
  std::fill_n(data.begin(), kStatusBytes, std::byte{0});
  data[0] = static_cast<std::byte>(status_);
  data[4] = static_cast<std::byte>(state_);
  return kStatusBytes;
}

bool Dfu::reset() {
  const bool starts = whole_ && state_ != DfuState::error && state_ != DfuState::manifest_sync;
  state_ = DfuState::idle;
  status_ = kOk;
  whole_ = false;
  image_.clear();
  return starts;
}

}  // namespace edgetwin::edgetpu
