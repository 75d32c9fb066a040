#include "formats/espdl/wire/wire.h"

#include <algorithm>

#include "base/sha256.h"

namespace edgetwin::espdl {

Magic magic_of(ByteSpan data) {
  if (data.size() < kMagicSize) return {};
  const std::string_view text = as_text(data.first(kMagicSize));
  if (text.substr(1, 2) != "DL") return {};
  const char letter = text[0];
  const int version = text[3] - '0';
  const int newest = letter == 'E' ? 2 : letter == 'P' ? 3 : 0;
  if (version < 1 || version > newest) return {};
  return {letter, version};
}

std::string package_digest(ByteSpan package) {
  Bytes copy = to_bytes(package);
  std::fill_n(copy.begin() + kDigestOffset, kDigestSize, std::byte{0});
  return sha256_hex(copy);
}

std::string hex(ByteSpan data) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : data) {
    text += kDigits[std::to_integer<size_t>(b >> 4)];
    text += kDigits[std::to_integer<size_t>(b & std::byte{15})];
  }
  return text;
}

std::string_view name_problem(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > kMaxNameSize) return "is longer than 4096 bytes";
  if (name == "." || name == "..") return "names a folder";
  for (const char c : name) {
    if (c == '/' || c == '\\') return "contains a folder";
    if (static_cast<unsigned char>(c) < 0x20) return "contains a control character";
  }
  return {};
}

}  // namespace edgetwin::espdl
