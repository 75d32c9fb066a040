#include "targets/edgetpu/synthesize/emit.h"

#include <utility>

namespace edgetwin::edgetpu {
namespace {

constexpr unsigned kImmediateBit = 70;  // of a scalar move: the bits that the driver overwrites

uint8_t digit(char c) { return static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10); }

}  // namespace

void Emitter::op(Opcode opcode, std::string_view hex) {
  begin_ = stream_.data.size();
  stream_.data.resize(begin_ + static_cast<size_t>(info(opcode).words) * kWordBytes);
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    const auto value = static_cast<unsigned>(digit(hex[i]) << 4U) | digit(hex[i + 1]);
    stream_.data[begin_ + i / 2] = static_cast<std::byte>(value);
  }
  // Everything that a tile engine does, and every counter that is set up for it, has a number.
  if (const FieldInfo* number = find_field(opcode, "operation")) {
    law(number->bit, number->width, static_cast<int64_t>(operations_++));
  }
}

void Emitter::law(unsigned bit, unsigned width, int64_t value) {
  set_bits(std::span(stream_.data).subspan(begin_), bit, width, static_cast<uint64_t>(value));
}

void Emitter::address(darwinn::BaseAddress base, darwinn::Position position,
                      const std::string& name) {
  darwinn::FieldOffset field;
  field.meta.base = base;
  field.meta.position = position;
  field.meta.name = name;
  field.offset_bit = static_cast<int32_t>(begin_ * 8 + kImmediateBit);
  stream_.field_offsets.push_back(field);
}

darwinn::Bitstream Emitter::finish() {
  static constexpr FieldInfo kLength = opcode_field(Opcode::start, "length");
  const size_t words = stream_.data.size() / kWordBytes;
  if (words >= 2) {
    set_bits(stream_.data, kLength.bit, kLength.width, (words - 2) * kWordBits);
  }
  operations_ = 0;
  return std::exchange(stream_, {});
}

}  // namespace edgetwin::edgetpu
