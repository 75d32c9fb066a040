#include "formats/ai8x/yaml_scalar.h"

#include <algorithm>
#include <array>

#include "base/shown.h"

namespace edgetwin::ai8x {
namespace {

bool plain(const YamlNode& node) { return node.kind == YamlKind::scalar && !node.quoted; }

// The three spellings that YAML 1.1 knows: yes, Yes, YES.
bool spelled(std::string_view text, std::string_view word) {
  if (lower(text) != word) return false;
  const bool first = text[0] >= 'A' && text[0] <= 'Z';
  bool all_lower = true;
  bool all_upper = true;
  for (const char c : text.substr(1)) {
    (c >= 'a' && c <= 'z' ? all_upper : all_lower) = false;
  }
  return first ? all_lower || all_upper : all_lower;
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_null(const YamlNode& node) {
  return plain(node) && (node.text.empty() || node.text == "~" || spelled(node.text, "null"));
}

std::optional<bool> as_boolean(const YamlNode& node) {
  if (!plain(node)) return std::nullopt;
  for (const std::string_view word : {"true", "yes", "on"}) {
    if (spelled(node.text, word)) return true;
  }
  for (const std::string_view word : {"false", "no", "off"}) {
    if (spelled(node.text, word)) return false;
  }
  return std::nullopt;
}

std::optional<YamlInteger> as_integer(const YamlNode& node) {
  if (!plain(node) || node.text.empty()) return std::nullopt;
  std::string_view text = node.text;
  YamlInteger out;
  if (text[0] == '-' || text[0] == '+') {
    out.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  unsigned base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  } else if (text.starts_with("0b")) {
    base = 2;
    text.remove_prefix(2);
  } else if (text.size() > 1 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  bool any = false;
  if (base == 10 && text.starts_with('_')) return std::nullopt;
  for (const char c : text) {
    if (c == '_') continue;
    const auto digit = static_cast<unsigned>(digit_of(c));
    if (digit >= base) return std::nullopt;
    any = true;
    if (out.size > (~uint64_t{0} - digit) / base) out.too_large = true;
    out.size = out.size * base + digit;
  }
  if (!any) return std::nullopt;
  return out;
}

std::string shown(std::string_view text) {
  constexpr size_t kLongest = 40;
  size_t end = std::min(text.size(), kLongest);
  const auto continues = [&](size_t at) {
    return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
  };
  while (end > 0 && continues(end)) --end;
  return shown_text(text.substr(0, end), LineEnds::escape) + (end < text.size() ? "..." : "");
}

std::string described(const YamlNode& node) {
  if (node.kind == YamlKind::sequence) return "a list";
  if (node.kind == YamlKind::map) return "a map";
  if (is_null(node)) return "nothing";
  return "'" + shown(node.text) + "'";
}

}  // namespace edgetwin::ai8x
