// Text that comes from files, where people see it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace edgetwin {

enum class LineEnds : uint8_t { keep, escape };

// For terminals. What one would obey, or what changes the order in which text is read, is shown as
// \x1b or \u202e: control characters (C0, C1, DEL; tabs stay), separators of lines and paragraphs,
// marks of direction, and bytes that are not UTF-8. `escape`: a line end as \n, so that a name
// cannot print a line of its own.
std::string shown_text(std::string_view text, LineEnds line_ends);

// For pages: U+FFFD in place of bytes that are not UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace edgetwin
