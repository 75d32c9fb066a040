#include "targets/edgetpu/debugger/script_text.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace edgetwin::edgetpu::script {

Error misunderstood(std::string what) {
  return Error(ErrorCode::usage, std::move(what)).with_hint("`help` lists the commands.");
}

std::optional<uint64_t> number_in(std::string_view text) {
  const bool hex = text.starts_with("0x");
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  const bool whole = r.ec == std::errc() && r.ptr == text.data() + text.size();
  return whole && !text.empty() ? std::optional(value) : std::nullopt;
}

Result<uint64_t> number_at(const std::vector<std::string_view>& words, size_t index,
                           std::optional<uint64_t> otherwise) {
  if (index >= words.size()) {
    if (otherwise) return *otherwise;
    return misunderstood("'" + std::string(words[0]) + "' needs a number more");
  }
  const auto value = number_in(words[index]);
  if (value) return *value;
  return misunderstood("'" + std::string(words[index]) + "' is not a number");
}

std::string hex_bytes(ByteSpan data) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : data) {
    text += kDigits[static_cast<size_t>(b) >> 4U];
    text += kDigits[static_cast<size_t>(b) & 15U];
  }
  return text;
}

std::string dump(uint64_t begin, ByteSpan data) {
  std::string text;
  for (size_t at = 0; at < data.size(); at += 16) {
    const ByteSpan row = data.subspan(at, std::min<size_t>(16, data.size() - at));
    text += "  " + hex_number(begin + at) + ":";
    for (size_t k = 0; k < row.size(); k += 4) {
      text += " " + hex_bytes(row.subspan(k, std::min<size_t>(4, row.size() - k)));
    }
    text += "\n";
  }
  return text;
}

std::vector<std::string_view> words_in(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  constexpr std::string_view kBlank = " \t\r\n";
  for (size_t at = line.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(kBlank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(kBlank, end);
  }
  return words;
}

}  // namespace edgetwin::edgetpu::script
