#include "formats/espdl/text/json_text.h"

#include <array>
#include <charconv>
#include <cmath>

namespace edgetwin::espdl {
namespace {

// Length of the UTF-8 character at the start of `s`; 0 if there is none.
size_t character(std::string_view s) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || s.size() < size) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  return overlong || outside ? 0 : size;
}

}  // namespace

void JsonText::begin_item() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (empty_.empty()) return;
  text_ += empty_.back() ? "\n" : ",\n";
  empty_.back() = false;
  text_.append(2 * empty_.size(), ' ');
}

void JsonText::open(char bracket) {
  begin_item();
  text_ += bracket;
  empty_.push_back(true);
}

void JsonText::close(char bracket) {
  const bool was_empty = empty_.back();
  empty_.pop_back();
  if (!was_empty) {
    text_ += '\n';
    text_.append(2 * empty_.size(), ' ');
  }
  text_ += bracket;
}

void JsonText::key(std::string_view name) {
  begin_item();
  add_string(name);
  text_ += ": ";
  after_key_ = true;
}

void JsonText::value(std::string_view text) {
  begin_item();
  add_string(text);
}

void JsonText::value(int64_t number) {
  begin_item();
  text_ += std::to_string(number);
}

void JsonText::value(double number) {
  begin_item();
  if (!std::isfinite(number)) {
    text_ += "null";
    return;
  }
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  text_.append(buffer.data(), end);
}

void JsonText::value(bool truth) {
  begin_item();
  text_ += truth ? "true" : "false";
}

void JsonText::add_string(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  text_ += '"';
  while (!text.empty()) {
    const size_t size = character(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (size == 0) {
      text_ += "\\ufffd";
    } else if (first == '"' || first == '\\') {
      text_ += '\\';
      text_ += text[0];
    } else if (first < 0x20 || first == 0x7f) {
      text_ += "\\u00";
      text_ += kDigits[first >> 4];
      text_ += kDigits[first & 15];
    } else {
      text_ += text.substr(0, size);
    }
    text.remove_prefix(size == 0 ? 1 : size);
  }
  text_ += '"';
}

}  // namespace edgetwin::espdl
