#include "targets/max78/options/option_values.h"

#include <algorithm>
#include <charconv>

namespace edgetwin::max78 {
namespace {

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const bool hex = text.starts_with("0x");
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc() || stop != end || begin == end) return std::nullopt;
  return value;
}

std::optional<int64_t> number_within(const std::string& text, int64_t low, int64_t high) {
  const auto value = number(text);
  if (!value || *value < low || *value > high) return std::nullopt;
  return value;
}

bool is_file_name(const std::string& text) {
  return !text.empty() && text[0] != '.' && text[0] != '-' && text != "none" &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_word(c) || c == '-' || c == '.'; });
}

}  // namespace edgetwin::max78
