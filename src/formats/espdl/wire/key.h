// The key of encrypted models.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace edgetwin::espdl {

// The 16 bytes of AES-128.
using Key = std::array<std::byte, 16>;

// 32 hexadecimal digits; or, as the exporter prints a key, 16 numbers like "0x1f" or "1f" between
// commas or blanks, perhaps in brackets. Error: espdl_key.
Result<Key> parse_key(std::string_view text);

}  // namespace edgetwin::espdl
