// Small pieces of text: words that people type, numbers as they read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin {

// Edits (insert, remove, replace a character) from one word to the other; for "did you mean".
size_t edit_distance(std::string_view a, std::string_view b);

// "0x2a"; no zeros in front.
std::string hex_number(uint64_t value);

// Error: bad_value. Padding with = is needed.
Result<Bytes> from_base64(std::string_view text);

}  // namespace edgetwin
