// CRC-32 of zlib, by which recorded traces name the content of their tensors.
#pragma once

#include <cstdio>
#include <string>

#include "base/bytes.h"

namespace edgetwin::golden {

inline std::string crc32_hex(ByteSpan data) {
  uint32_t crc = 0xFFFFFFFFU;
  for (const std::byte b : data) {
    crc ^= static_cast<uint32_t>(b);
    for (int i = 0; i < 8; ++i) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
  }
  char text[9];
  std::snprintf(text, sizeof text, "%08x", ~crc);
  return text;
}

}  // namespace edgetwin::golden
