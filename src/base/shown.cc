#include "base/shown.h"

#include <array>

namespace edgetwin {
namespace {

constexpr const char* kHex = "0123456789abcdef";

struct CodePoint {
  uint32_t value = 0;
  size_t bytes = 0;  // 0: the first byte does not begin a character
};

// The first character of `text`, which is not empty. RFC 3629: shortest form, no surrogates.
CodePoint first_code_point(std::string_view text) {
  const auto at = [&](size_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const uint32_t lead = at(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {};
  uint32_t value = lead & (0x7FU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xC0U) != 0x80U) return {};
    value = value << 6U | (at(i) & 0x3FU);
  }
  constexpr std::array<uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[bytes] || value > 0x10FFFF || surrogate) return {};
  return {value, bytes};
}

// Unicode, Bidi_Control; and the separators, which some terminals obey.
bool changes_reading(uint32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

std::string byte_text(uint32_t byte) {
  return {'\\', 'x', kHex[byte >> 4U & 15U], kHex[byte & 15U]};
}

std::string code_point_text(uint32_t c) {
  std::string text = "\\u";
  for (uint32_t shift = 16; shift > 0; shift -= 4) text += kHex[c >> (shift - 4U) & 15U];
  return text;
}

}  // namespace

std::string shown_text(std::string_view text, LineEnds line_ends) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.bytes == 0) {
      out += byte_text(static_cast<unsigned char>(text[0]));
    } else if (c.value == '\n') {
      out += line_ends == LineEnds::keep ? "\n" : "\\n";
    } else if (c.value != '\t' && (c.value < 0x20 || (c.value >= 0x7F && c.value < 0xA0))) {
      out += byte_text(c.value);
    } else if (changes_reading(c.value)) {
      out += code_point_text(c.value);
    } else {
      out += text.substr(0, c.bytes);
    }
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    out += c.bytes == 0 ? "\xEF\xBF\xBD" : text.substr(0, c.bytes);
    text.remove_prefix(c.bytes == 0 ? 1 : c.bytes);
  }
  return out;
}

}  // namespace edgetwin
