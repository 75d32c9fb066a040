// CRC-32 as zip archives use it (polynomial 0xedb88320, eight bytes at a time).
#pragma once

#include "base/bytes.h"

namespace edgetwin::torch {

uint32_t crc32(ByteSpan data);

}  // namespace edgetwin::torch
