// What a plain scalar of YAML 1.1 is: the vendor's loader reads descriptions by those rules, where
// 010 is eight and `yes` is true.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "formats/ai8x/yaml_tree.h"

namespace edgetwin::ai8x {

// Sign and size, so that 64-bit processor maps and negative numbers both have their place.
struct YamlInteger {
  bool negative = false;
  uint64_t size = 0;
  bool too_large = false;  // beyond 64 bits
};

bool is_null(const YamlNode& node);
std::optional<bool> as_boolean(const YamlNode& node);
// Decimal, 0x, 0b and octal with a leading 0; underscores anywhere between the digits.
std::optional<YamlInteger> as_integer(const YamlNode& node);

std::string lower(std::string_view text);
// For messages: at most 40 bytes; what a terminal would not show is written as its number.
std::string shown(std::string_view text);
// "a list", "a map", "nothing", or the value in quotes.
std::string described(const YamlNode& node);

}  // namespace edgetwin::ai8x
