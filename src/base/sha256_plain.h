// SHA-256 without the processor's own instructions: what these are held against.
#pragma once

#include <string>

#include "base/bytes.h"

namespace edgetwin {

// As sha256_hex.
std::string sha256_hex_plain(ByteSpan data);

}  // namespace edgetwin
