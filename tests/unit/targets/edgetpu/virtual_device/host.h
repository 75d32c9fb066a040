// A host that talks to a stick by hand: what a driver does, without a driver.
#pragma once

#include <string>

#include "targets/edgetpu/virtual_device/stick/stick.h"

namespace edgetwin::edgetpu {

struct Host {
  Stick& stick;

  Reply write(Reg reg, uint64_t value) {
    const RegisterInfo& r = info(reg);
    std::array<std::byte, 8> data{};
    std::memcpy(data.data(), &value, sizeof value);
    const Setup setup{kVendorWrite, r.width == 32 ? kRegister32 : kRegister64,
                      static_cast<uint16_t>(r.address), static_cast<uint16_t>(r.address >> 16U)};
    return stick.control(setup, std::span(data).first(static_cast<size_t>(r.width / 8))).reply;
  }
  std::optional<uint64_t> read(Reg reg) {
    const RegisterInfo& r = info(reg);
    std::array<std::byte, 8> data{};
    const Setup setup{kVendorRead, r.width == 32 ? kRegister32 : kRegister64,
                      static_cast<uint16_t>(r.address), static_cast<uint16_t>(r.address >> 16U)};
    const auto bytes = static_cast<size_t>(r.width / 8);
    if (stick.control(setup, std::span(data).first(bytes)).reply != Reply::done) {
      return std::nullopt;
    }
    uint64_t value = 0;
    std::memcpy(&value, data.data(), bytes);
    return value;
  }
  // Every register that must be set, from the stick's own table.
  void bring_up() {
#define NEED(reg, rule, value) write(Reg::reg, value);
#define NEED_SET(reg, rule) write(Reg::reg, Reg::reg == Reg::descr_ep ? 0xf0 : 0x80);
#include "targets/edgetpu/virtual_device/stick/bring_up.def"
#undef NEED
#undef NEED_SET
  }

  Replied out(ByteSpan data) { return stick.out(endpoint::kOut, data); }
  Replied header(uint32_t length, uint8_t tag, std::byte tail = {}) {
    std::array<std::byte, kFrameHeaderBytes> h{};
    std::memcpy(h.data(), &length, sizeof length);
    h[4] = std::byte{tag};
    h[7] = tail;
    return out(h);
  }
  Replied send(Tag tag, ByteSpan data) { return send(static_cast<uint8_t>(tag), data); }
  Replied send(uint8_t tag, ByteSpan data) {
    header(static_cast<uint32_t>(data.size()), tag);
    return out(data);
  }
  Replied instructions(ByteSpan data) { return send(uint8_t{0}, data); }

  // Everything that endpoint has, up to a size.
  Bytes in(uint8_t from, size_t size) {
    Bytes data(size);
    size_t moved = 0;
    while (moved < size) {
      const Replied r = stick.in(from, std::span(data).subspan(moved));
      moved += r.size;
      if (r.reply != Reply::done || r.size == 0) break;
    }
    data.resize(moved);
    return data;
  }

  // Ids of the rules that were broken, in order.
  std::vector<std::string> rules() const {
    std::vector<std::string> ids;
    for (const Finding& f : stick.findings()) {
      for (const RuleInfo& rule : all_stick_rules()) {
        if (rule.id == f.id) ids.emplace_back(rule.name);
      }
    }
    return ids;
  }
};

}  // namespace edgetwin::edgetpu
