#include "targets/max78/board/log.h"

#include <algorithm>
#include <charconv>

namespace edgetwin::max78 {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

// The number behind `word` and blanks, colons and the word "address": hexadecimal with 0x.
std::optional<uint32_t> hex_after(std::string_view line, std::string_view word) {
  size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  at = line.find("0x", at + word.size());
  if (at == std::string_view::npos) return std::nullopt;
  uint32_t value = 0;
  const char* const begin = line.data() + at + 2;
  const auto [stop, error] = std::from_chars(begin, line.data() + line.size(), value, 16);
  if (error != std::errc() || stop == begin) return std::nullopt;
  return value;
}

std::optional<int64_t> number_at(std::string_view line, size_t at) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
  if (error != std::errc() || stop == line.data() + at) return std::nullopt;
  return value;
}

// "... inference time: 1402 us", "Time of inference: 1402 us".
std::optional<int64_t> microseconds_of(std::string_view line) {
  const size_t unit = line.rfind(" us");
  if (unit == std::string_view::npos || line.find("time") == std::string_view::npos)
    return std::nullopt;
  size_t begin = unit;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  return number_at(line, begin);
}

// "class 3: 99.8%", "class 3 (cat): 99.8%", "[  1234] -> Class 3: 99.8%".
std::optional<BoardClass> class_of(std::string_view line) {
  const size_t word = line.find("class ");
  const size_t percent = line.rfind('%');
  if (word == std::string_view::npos || percent == std::string_view::npos) return std::nullopt;
  const auto number = number_at(line, word + 6);
  const size_t colon = line.rfind(':', percent);
  if (!number || colon == std::string_view::npos || colon < word || *number < 0 ||
      *number > 1'000'000)
    return std::nullopt;
  size_t at = line.find_first_not_of(' ', colon + 1);
  if (at == std::string_view::npos) return std::nullopt;
  const auto whole = number_at(line, at);
  const size_t dot = line.find('.', at);
  const auto tenths = dot < percent ? number_at(line, dot + 1) : std::optional<int64_t>(0);
  if (!whole || !tenths || *whole < 0 || *whole > 100 || *tenths < 0 || *tenths > 9)
    return std::nullopt;
  return BoardClass{static_cast<int>(*number), static_cast<int>(10 * *whole + *tenths)};
}

// "Data mismatch (1/8) at address 0x50401000: Expected 0x.., read 0x.." of the vendor's projects,
// "Word 3 at 0x50401000: expected 0x.., read 0x.." of ours.
std::optional<BoardMismatch> mismatch_of(std::string_view line, int number) {
  if (line.find("mismatch") == std::string_view::npos && !line.starts_with("word "))
    return std::nullopt;
  const auto address = hex_after(line, " at ");
  const auto expected = hex_after(line, "expected");
  const auto found = hex_after(line, "read");
  if (!address || !expected || !found) return std::nullopt;
  return BoardMismatch{*address, *expected, *found, number};
}

bool is_result(std::string_view line, std::string_view word) {
  const bool marked =
      line.find("***") != std::string_view::npos || line.find("cnn:") != std::string_view::npos;
  return marked && line.find(word) != std::string_view::npos;
}

class BoardLogReader {
 public:
  void line(std::string_view text, int number) {
    const std::string lowered = lower(text);
    const std::string_view line = lowered;
    if (line.starts_with("waiting")) {
      const int starts = log_.starts + 1;
      log_ = {};
      log_.starts = starts;
      return;
    }
    if (const auto m = mismatch_of(line, number)) {
      log_.mismatches.push_back(*m);
    } else if (is_result(line, "pass")) {
      ++log_.passes;
    } else if (is_result(line, "fail")) {
      ++log_.failures;
    } else if (const auto us = microseconds_of(line)) {
      log_.microseconds = us;
    } else if (const auto c = class_of(line)) {
      log_.classes.push_back(*c);
    }
  }
  BoardLog take() { return std::move(log_); }

 private:
  BoardLog log_;
};

BoardLog read_lines(std::string_view text) {
  BoardLogReader reader;
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
    reader.line(line, ++number);
    at = end + 1;
  }
  return reader.take();
}

bool shows_nothing(const BoardLog& log) {
  return log.passes == 0 && log.failures == 0 && log.mismatches.empty();
}

}  // namespace

bool looks_like_board_log(std::string_view text) {
  if (text.size() > kMostBoardLogBytes || text.find("EDGETWIN ") != std::string_view::npos)
    return false;
  return !shows_nothing(read_lines(text));
}

Result<BoardLog> read_board_log(std::string_view text, const std::string& file) {
  if (text.size() > kMostBoardLogBytes) {
    return Error(ErrorCode::device_log, "the log has " + std::to_string(text.size()) +
                                            " bytes, at most " +
                                            std::to_string(kMostBoardLogBytes) + " are read")
        .in_file(file);
  }
  BoardLog log = read_lines(text);
  if (!shows_nothing(log)) return log;
  return Error(ErrorCode::device_log, "the text shows neither a result nor a mismatch")
      .in_file(file)
      .with_hint("Give what the board printed until its line '*** PASS ***' or '*** FAIL ***'.");
}

}  // namespace edgetwin::max78
