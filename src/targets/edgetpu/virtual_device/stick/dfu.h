// The boot loader's side of the firmware download (USB DFU 1.1).
#pragma once

#include <functional>
#include <span>

#include "base/bytes.h"
#include "targets/edgetpu/device/registers.h"
#include "targets/edgetpu/virtual_device/stick/rules.h"

namespace edgetwin::edgetpu {

class Dfu {
 public:
  // Whether the image is one that will start; default: any that is not empty.
  using Accept = std::function<bool(ByteSpan image)>;
  Dfu(StickFindings& findings, Accept accept) : findings_(findings), accept_(std::move(accept)) {}

  // A request to the interface. Nothing: it is refused (a stall). Else bytes moved.
  std::optional<size_t> request(uint8_t code, uint16_t value, std::span<std::byte> data);
  // A port reset ends everything; true: the firmware is there and starts now.
  bool reset();

  DfuState state() const { return state_; }
  ByteSpan image() const { return image_; }

  static constexpr size_t kMaxImage = size_t{1} << 18U;

 private:
  std::optional<size_t> download(uint16_t block, ByteSpan data);
  std::optional<size_t> upload(uint16_t block, std::span<std::byte> data);
  std::optional<size_t> status(std::span<std::byte> data);
  std::optional<size_t> refuse(uint8_t status, std::string message);

  StickFindings& findings_;
  Accept accept_;
  DfuState state_ = DfuState::idle;
  uint8_t status_ = 0;
  uint16_t next_block_ = 0;
  Bytes image_;
  bool whole_ = false;
};

}  // namespace edgetwin::edgetpu
