#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace edgetwin {
namespace {

int base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

}  // namespace

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::string hex_number(uint64_t value) {
  std::array<char, 16> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, 16);
  return "0x" + std::string(buffer.data(), end.ptr);
}

Result<Bytes> from_base64(std::string_view text) {
  const auto bad = [](const char* what) {
    return Error(ErrorCode::bad_value, std::string("base64 text with ") + what);
  };
  if (text.size() % 4 != 0) return bad("a length that is not a multiple of four");
  Bytes out;
  out.reserve(text.size() / 4 * 3);
  for (size_t at = 0; at < text.size(); at += 4) {
    const bool last = at + 4 == text.size();
    const int padding = !last || text[at + 3] != '=' ? 0 : (text[at + 2] == '=' ? 2 : 1);
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) {
      const bool padded = i >= 4 - static_cast<size_t>(padding);
      const int digit = padded ? 0 : base64_digit(text[at + i]);
      if (digit < 0) return bad("a character outside of its alphabet");
      bits = bits << 6 | static_cast<uint32_t>(digit);
    }
    for (int i = 0; i < 3 - padding; ++i) {
      out.push_back(static_cast<std::byte>(bits >> (16 - 8 * i)));
    }
  }
  return out;
}

}  // namespace edgetwin
