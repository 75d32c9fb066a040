// Bit fields of an instruction: one little-endian number, bit 0 is the least significant bit of
// byte 0, and fields may cross bytes and words.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>

#include "base/bytes.h"

namespace edgetwin::edgetpu {

// `width` is 1 to 64; bits after the end of the bytes read as 0.
inline uint64_t get_bits(ByteSpan data, size_t bit, unsigned width) {
  const size_t first = bit / 8;
  const unsigned shift = bit % 8;
  uint64_t low = 0;
  uint64_t high = 0;
  if (first < data.size()) {
    std::memcpy(&low, data.data() + first, data.size() - first < 8 ? data.size() - first : 8);
  }
  if (shift != 0 && first + 8 < data.size()) high = static_cast<uint64_t>(data[first + 8]);
  const uint64_t value = shift == 0 ? low : (low >> shift) | (high << (64U - shift));
  return width >= 64 ? value : value & ((uint64_t{1} << width) - 1);
}

inline int64_t get_signed(ByteSpan data, size_t bit, unsigned width) {
  const unsigned unused = 64U - width;
  return static_cast<int64_t>(get_bits(data, bit, width) << unused) >> unused;
}

// Low `width` bits of `value`; all other bits stay. The field must lie within the bytes.
inline void set_bits(std::span<std::byte> data, size_t bit, unsigned width, uint64_t value) {
  for (unsigned done = 0; done < width;) {
    const size_t at = (bit + done) / 8;
    const auto shift = static_cast<unsigned>((bit + done) % 8);
    const unsigned n = width - done < 8 - shift ? width - done : 8 - shift;
    const auto mask = static_cast<uint8_t>(((1U << n) - 1U) << shift);
    const auto piece = static_cast<uint8_t>(((value >> done) << shift) & mask);
    data[at] = static_cast<std::byte>((static_cast<uint8_t>(data[at]) & ~mask & 0xFFU) | piece);
    done += n;
  }
}

}  // namespace edgetwin::edgetpu
