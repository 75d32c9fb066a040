// Blocks of SHA-256 with the processor's own instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"

namespace edgetwin {

// Takes `blocks` blocks of 64 bytes into the state of eight words. False, and nothing done, where
// the processor has no such instructions. `rounds` are the 64 constants of the standard.
bool sha256_blocks_fast(uint32_t* state, const uint8_t* data, size_t blocks,
                        const uint32_t* rounds);

// sha256_hex without them: what the instructions are held against.
std::string sha256_hex_plain(ByteSpan data);

}  // namespace edgetwin
