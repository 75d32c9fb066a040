// Words, numbers and bytes of the debugger's commands.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace edgetwin::edgetpu::script {

inline constexpr uint64_t kMostSteps = 20'000'000;  // of one command
inline constexpr uint64_t kMostShown = 65536;       // bytes

// Error usage, which points to the list of commands.
Error misunderstood(std::string what);
// Decimal, or hexadecimal after 0x.
std::optional<uint64_t> number_in(std::string_view text);
// The word of that index; without it `otherwise`, or the error.
Result<uint64_t> number_at(const std::vector<std::string_view>& words, size_t index,
                           std::optional<uint64_t> otherwise = {});
std::string hex_bytes(ByteSpan data);
// Rows of 16 bytes, each with its place.
std::string dump(uint64_t begin, ByteSpan data);
// Without the comment, which begins with '#'.
std::vector<std::string_view> words_in(std::string_view line);

}  // namespace edgetwin::edgetpu::script
