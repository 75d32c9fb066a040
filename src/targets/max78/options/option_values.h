// Values of options, as words of the command line give them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace edgetwin::max78 {

// Decimal, or hexadecimal after 0x; nothing where `text` is not a number.
std::optional<int64_t> number(std::string_view text);
// Nothing also where it is not in [low, high].
std::optional<int64_t> number_within(const std::string& text, int64_t low, int64_t high);

// A file within the folder of the project, which goes into C sources and Makefiles.
bool is_file_name(const std::string& text);

// Options that belong to folders for simulations alone (rtl_options.cc).
bool needs_rtl(std::string_view name);

}  // namespace edgetwin::max78
