#include "formats/espdl/wire/key.h"

#include <cctype>

namespace edgetwin::espdl {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The bytes of one word: pairs of digits, or a single digit, perhaps after 0x.
bool add_word(std::string_view word, std::vector<std::byte>& bytes) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  if (word.empty() || (word.size() % 2 == 1 && word.size() > 1)) return false;
  for (size_t i = 0; i < word.size(); i += 2) {
    const int high = word.size() == 1 ? 0 : digit(word[i]);
    const int low = digit(word.size() == 1 ? word[0] : word[i + 1]);
    if (high < 0 || low < 0) return false;
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return true;
}

bool separates(char c) {
  return c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\'' ||
         std::isspace(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

Result<Key> parse_key(std::string_view text) {
  std::vector<std::byte> bytes;
  bool understood = true;
  for (size_t i = 0; i < text.size() && understood;) {
    if (separates(text[i])) {
      ++i;
      continue;
    }
    size_t end = i;
    while (end < text.size() && !separates(text[end])) ++end;
    understood = add_word(text.substr(i, end - i), bytes);
    i = end;
  }
  Key key;
  if (!understood || bytes.size() != key.size()) {
    return Error(ErrorCode::espdl_key,
                 understood ? "the key has " + std::to_string(bytes.size()) + " bytes, not 16"
                            : "the key is not made of hexadecimal digits");
  }
  for (size_t i = 0; i < key.size(); ++i) key[i] = bytes[i];
  return key;
}

}  // namespace edgetwin::espdl
