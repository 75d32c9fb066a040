#include "targets/edgetpu/capture/decode.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/text.h"
#include "targets/edgetpu/device/registers.h"

namespace edgetwin::edgetpu {
namespace {

constexpr uint8_t kTypeBits = 0x60, kClassType = 0x20, kVendorType = 0x40;

bool is_vendor(const UsbPacket& p) {
  return p.has_setup && (p.setup[0] & kTypeBits) == kVendorType && p.setup[1] <= kRegister32;
}

std::string ended(const UsbAction& a) {
  if (!a.status) return "; its end is not in the capture";
  return *a.status == 0 ? "" : "; ended with " + std::to_string(*a.status);
}

uint64_t value_of(const Bytes& data) {
  uint64_t value = 0;
  const size_t there = std::min(data.size(), sizeof value);
  if (there > 0) std::memcpy(&value, data.data(), there);
  return value;
}

std::string control_text(const UsbAction& a) {
  if (a.is_register()) {
    const RegisterInfo* r = find_register(a.address());
    const std::string name = r == nullptr ? hex_number(a.address()) : std::string(r->name);
    return (a.in() ? "read  " : "write ") + name + " = " + hex_number(value_of(a.data));
  }
  const bool dfu = (a.setup[0] & kTypeBits) == kClassType;
  return std::string(dfu ? "firmware" : "standard") + " request " + std::to_string(a.setup[1]) +
         ", " + std::to_string(a.data.size()) + " bytes";
}

// Frames and outputs go over several transfers.
class Lines {
 public:
  void add(const UsbAction& a) {
    if (a.kind == UsbPacket::Kind::control) {
      put(a.packet, control_text(a) + ended(a));
    } else if (!a.in()) {
      out(a);
    } else if (a.endpoint == endpoint::kOutput) {
      output(a);
    } else if (a.status == 0 && !a.data.empty()) {
      put(a.packet, message(a));
    }
  }
  std::vector<DriverLine> take() {
    if (frame_open()) {
      put(frame_packet_, "frame of " + frame_text() + "; " + std::to_string(left_) +
                             " bytes of it are not in the capture");
    }
    return std::move(lines_);
  }

 private:
  void put(size_t packet, std::string text) {
    const bool again = !lines_.empty() && lines_.back().text == text && text.starts_with("read");
    if (!again) lines_.push_back({packet, std::move(text)});
    in_output_ = false;
  }

  static std::string message(const UsbAction& a) {
    if (a.endpoint == endpoint::kEvent && a.data.size() == kEventBytes) {
      const auto tag = static_cast<FrameTag>(std::to_integer<uint8_t>(a.data[12]) & 0xfU);
      return "event: " + std::string(name(tag));
    }
    return (a.endpoint == endpoint::kInterrupt ? "interrupt: " : "endpoint 2: ") +
           hex_number(value_of(a.data));
  }

  // Consecutive reads of outputs are one line.
  void output(const UsbAction& a) {
    if (a.status != 0) return;
    output_bytes_ = in_output_ ? output_bytes_ + a.data.size() : a.data.size();
    const std::string text = "receive output, " + std::to_string(output_bytes_) + " bytes";
    if (in_output_) {
      lines_.back().text = text;
    } else {
      lines_.push_back({a.packet, text});
    }
    in_output_ = true;
  }

  bool frame_open() const { return header_.size() == kFrameHeaderBytes; }
  std::string frame_text() const {
    uint32_t length = 0;
    std::memcpy(&length, header_.data(), sizeof length);
    const auto tag = static_cast<FrameTag>(std::to_integer<uint8_t>(header_[4]) & 0xfU);
    return std::string(name(tag)) + ", " + std::to_string(length) + " bytes";
  }

  void out(const UsbAction& a) {
    ByteSpan data = a.data;
    while (!data.empty()) {
      if (!frame_open()) {
        if (header_.empty()) frame_packet_ = a.packet;
        const size_t take = std::min(data.size(), kFrameHeaderBytes - header_.size());
        header_.insert(header_.end(), data.begin(),
                       data.begin() + static_cast<std::ptrdiff_t>(take));
        data = data.subspan(take);
        if (!frame_open()) return;
        uint32_t length = 0;
        std::memcpy(&length, header_.data(), sizeof length);
        left_ = length;
      }
      const size_t take = std::min<size_t>(data.size(), left_);
      left_ -= take;
      data = data.subspan(take);
      if (left_ == 0) end_frame();
    }
    if (a.status != 0) put(a.packet, "out" + ended(a));
  }

  void end_frame() {
    put(frame_packet_, "send " + frame_text());
    header_.clear();
  }

  std::vector<DriverLine> lines_;
  bool in_output_ = false;
  size_t output_bytes_ = 0;
  Bytes header_;
  size_t frame_packet_ = 0, left_ = 0;
};

}  // namespace

uint32_t UsbAction::address() const {
  const auto at = [this](size_t k) { return uint32_t{setup[k]}; };
  return at(2) | at(3) << 8U | at(4) << 16U | at(5) << 24U;
}

bool UsbAction::is_register() const {
  return kind == UsbPacket::Kind::control && (setup[0] & kTypeBits) == kVendorType &&
         setup[1] <= kRegister32;
}

std::vector<CapturedDevice> captured_devices(const UsbCapture& capture) {
  std::vector<CapturedDevice> devices;
  for (const UsbPacket& p : capture.packets) {
    const auto same = [&p](const CapturedDevice& d) {
      return d.bus == p.bus && d.address == p.device;
    };
    auto found = std::ranges::find_if(devices, same);
    if (found == devices.end()) {
      devices.push_back({p.bus, p.device, 0, false});
      found = devices.end() - 1;
    }
    ++found->packets;
    const bool registers =
        is_vendor(p) && find_register(uint32_t{p.setup[4]} << 16U | uint32_t{p.setup[5]} << 24U |
                                      uint32_t{p.setup[3]} << 8U | p.setup[2]);
    found->looks_like_edgetpu = found->looks_like_edgetpu || registers;
  }
  return devices;
}

std::vector<UsbAction> actions_of(const UsbCapture& capture, const CapturedDevice& device) {
  std::vector<UsbAction> actions;
  std::map<uint64_t, size_t> open;
  for (size_t n = 0; n < capture.packets.size(); ++n) {
    const UsbPacket& p = capture.packets[n];
    if (p.bus != device.bus || p.device != device.address) continue;
    if (p.event == UsbPacket::Event::submit) {
      open[p.id] = actions.size();
      UsbAction a{n, p.kind, p.endpoint, p.setup, p.length, p.in() ? Bytes() : p.data, {}};
      actions.push_back(std::move(a));
      continue;
    }
    const auto found = open.find(p.id);
    if (found == open.end()) continue;  // submitted before the capture began
    UsbAction& a = actions[found->second];
    a.status = p.status;
    if (a.in()) {
      a.data = p.data;
      if (a.kind != UsbPacket::Kind::control) a.packet = n;
    }
    open.erase(found);
  }
  std::ranges::stable_sort(actions, {}, &UsbAction::packet);
  return actions;
}

std::vector<DriverLine> driver_lines(const std::vector<UsbAction>& actions) {
  Lines lines;
  for (const UsbAction& a : actions) lines.add(a);
  return lines.take();
}

}  // namespace edgetwin::edgetpu
