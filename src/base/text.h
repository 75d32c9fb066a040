// Small pieces of text: words that people type, numbers as they read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace edgetwin {

// Edits (insert, remove, replace a character) from one word to the other; for "did you mean".
size_t edit_distance(std::string_view a, std::string_view b);

// "0x2a"; no zeros in front.
std::string hex_number(uint64_t value);

// The shortest digits that give the same number again; "nan", "inf", "-inf".
std::string shortest_number(double value);
std::string shortest_number(float value);

// For text and attributes of HTML and SVG: & < > " ' by name, control characters as blanks.
std::string html_escaped(std::string_view text);

}  // namespace edgetwin
