#include "cli/networks/shard.h"

#include <charconv>

namespace edgetwin::cli {

Result<Shard> shard_of(const std::string& word) {
  Shard s;
  if (word.empty()) return s;
  const char* end = word.data() + word.size();
  const auto first = std::from_chars(word.data(), end, s.number);
  if (first.ec == std::errc() && first.ptr < end && *first.ptr == '/') {
    const auto second = std::from_chars(first.ptr + 1, end, s.of);
    if (second.ec == std::errc() && second.ptr == end && s.number >= 1 && s.number <= s.of) {
      return s;
    }
  }
  return Error(ErrorCode::usage, "'" + word + "' is not K/N with K from 1 to N");
}

Status write_list(const evaluation::ListPart& part, const Output& output, Console& console) {
  const Json document = evaluation::list_json(part);
  EDGETWIN_TRY(output.write(document.text()));
  console.json().set("part", document);
  return Ok{};
}

}  // namespace edgetwin::cli
