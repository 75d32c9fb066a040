// SHA-256 (FIPS 180-4), for the hashes in reports and manifests.
#pragma once

#include <string>

#include "base/bytes.h"

namespace edgetwin {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(ByteSpan data);

}  // namespace edgetwin
