// Numbers and names as people read them.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace edgetwin::report {

inline constexpr size_t kTerminalWidth = 80;

std::string count_text(int64_t n);    // "81 920"
std::string bytes_text(int64_t n);    // "81 920 bytes (80.0 KiB)"
std::string size_text(int64_t n);     // "80.0 KiB"
std::string real_text(double value);  // the shortest digits that give the same double
std::string real_text(float value);   // … the same float
std::string fixed_text(double value, int digits);
// A time by its size, three digits: "36.6 µs", "1.04 ms", "100 ms", "12.3 s"
std::string duration_text(double microseconds);
std::string microseconds_text(std::chrono::nanoseconds t);  // "1 234.5"
// A value of a tensor: integers without a point.
std::string value_text(double value);
// The same with all digits that a double has.
std::string exact_text(double value);

// Characters other than [A-Za-z0-9._-] become '_', a leading '.' too; at most 120 characters.
std::string file_safe(std::string_view name);
// At most `width` characters, the middle cut out.
std::string shortened(std::string_view text, size_t width);
std::string html_escaped(std::string_view text);

// Columns aligned by blanks; numbers to the right. The last column is not padded.
class TextTable {
 public:
  enum class Align : uint8_t { left, right };
  struct Column {
    std::string title;
    Align align = Align::left;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // A cell is one line: names from files cannot print others (shown_text).
  void add(std::vector<std::string> row);
  bool empty() const { return rows_.empty(); }
  // Every line starts with `indent` blanks and ends in '\n'. Columns that `width` characters do not
  // hold follow in further lines, four blanks deeper.
  std::string text(size_t indent = 2, size_t width = kTerminalWidth) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace edgetwin::report
