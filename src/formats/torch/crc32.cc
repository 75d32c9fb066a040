#include "formats/torch/crc32.h"

#include <array>

namespace edgetwin::torch {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables out = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1U) * 0xedb88320U);
    out[0][i] = value;
  }
  for (uint32_t i = 0; i < 256; ++i) {
    for (size_t t = 1; t < 8; ++t) {
      out[t][i] = (out[t - 1][i] >> 8) ^ out[0][out[t - 1][i] & 0xffU];
    }
  }
  return out;
}

constexpr Tables kTables = make_tables();

}  // namespace

uint32_t crc32(ByteSpan data) {
  uint32_t crc = ~0U;
  size_t i = 0;
  for (; i + 8 <= data.size(); i += 8) {
    uint64_t block;
    std::memcpy(&block, data.data() + i, 8);
    block ^= crc;
    crc = 0;
    for (size_t b = 0; b < 8; ++b) crc ^= kTables[7 - b][(block >> (8 * b)) & 0xffU];
  }
  for (; i < data.size(); ++i) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<uint32_t>(data[i])) & 0xffU];
  }
  return ~crc;
}

}  // namespace edgetwin::torch
