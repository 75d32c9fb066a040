// Text and numbers in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace edgetwin {

// The shortest digits that give the same number again; "nan", "inf", "-inf".
std::string shortest_number(double value);
std::string shortest_number(float value);

// For text and attributes: & < > " ' by name, control characters but line ends as blanks, and
// U+FFFD for bytes that are not UTF-8.
std::string markup_escaped(std::string_view text);

}  // namespace edgetwin
