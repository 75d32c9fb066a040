#include "report/folded.h"

#include <algorithm>

namespace edgetwin::report {
namespace {

size_t characters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// Up to the next place where a line may end, its blank included.
std::string_view next_part(std::string_view text, std::string_view separator) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return text;
  const size_t at = text.find(separator, begin);
  return text.substr(0, at == std::string_view::npos ? text.size() : at + separator.size());
}

}  // namespace

std::string folded(std::string_view text, size_t indent) {
  const std::string_view separator = text.find(", ") == std::string_view::npos ? " " : ", ";
  std::string out;
  size_t column = 0;
  while (!text.empty()) {
    std::string_view part = next_part(text, separator);
    text.remove_prefix(part.size());
    const size_t shown = characters(part.substr(0, part.find_last_not_of(' ') + 1));
    if (column > indent && column + shown > kTerminalWidth) {
      out.erase(out.find_last_not_of(' ') + 1);
      out += "\n" + std::string(indent, ' ');
      column = indent;
      part.remove_prefix(std::min(part.find_first_not_of(' '), part.size()));
    }
    out += part;
    column += characters(part);
  }
  return out + "\n";
}

size_t longest_line(std::string_view text) {
  size_t longest = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    longest = std::max(longest, characters(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return longest;
}

}  // namespace edgetwin::report
