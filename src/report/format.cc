#include "report/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/markup.h"
#include "base/shown.h"
#include "report/folded.h"

namespace edgetwin::report {
namespace {

std::string grouped(std::string digits) {
  const size_t start = !digits.empty() && digits[0] == '-' ? 1 : 0;
  const size_t point = std::min(digits.find('.'), digits.size());
  for (size_t at = point; at > start + 3;) {
    at -= 3;
    digits.insert(at, 1, ' ');
  }
  return digits;
}

// Display columns: bytes that continue a UTF-8 sequence take none.
size_t width_of(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string count_text(int64_t n) { return grouped(std::to_string(n)); }

std::string fixed_text(double value, int digits) {
  if (!std::isfinite(value)) return shortest_number(value);
  std::array<char, 400> buffer = {};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::fixed, digits);
  return grouped(std::string(buffer.data(), end.ptr));
}

std::string size_text(int64_t n) {
  static constexpr const char* kUnits[] = {" B", " KiB", " MiB", " GiB"};
  auto value = static_cast<double>(n);
  size_t unit = 0;
  while (value >= 1024.0 && unit < 3) {
    value /= 1024.0;
    ++unit;
  }
  return (unit == 0 ? count_text(n) : fixed_text(value, 1)) + kUnits[unit];
}

std::string bytes_text(int64_t n) {
  const std::string plain = count_text(n) + (n == 1 ? " byte" : " bytes");
  return n < 1024 ? plain : plain + " (" + size_text(n) + ")";
}

std::string real_text(double value) { return shortest_number(value); }
std::string real_text(float value) { return shortest_number(value); }

std::string duration_text(double microseconds) {
  static constexpr const char* kUnits[] = {" µs", " ms", " s"};
  double value = microseconds;
  size_t unit = 0;
  // What three digits would show as 1000 belongs to the next unit.
  while (unit < 2 && value >= 999.5) {
    value /= 1000.0;
    ++unit;
  }
  const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fixed_text(value, digits) + kUnits[unit];
}

std::string microseconds_text(std::chrono::nanoseconds t) {
  return fixed_text(static_cast<double>(t.count()) / 1000.0, 1);
}

std::string value_text(double value) {
  if (value == 0.0) return std::signbit(value) ? "-0" : "0";
  if (value == std::floor(value) && std::abs(value) < 1e15) {
    return std::to_string(static_cast<int64_t>(value));
  }
  return shortest_number(static_cast<float>(value));
}

std::string exact_text(double value) {
  constexpr double kLimit = 9.2e18;  // below 2^63
  const bool is_integer = value == std::floor(value) && std::abs(value) < kLimit;
  if (is_integer && value != 0.0) return std::to_string(static_cast<int64_t>(value));
  const auto narrow = static_cast<float>(value);
  return static_cast<double>(narrow) == value || std::isnan(value) ? value_text(value)
                                                                   : shortest_number(value);
}

std::string file_safe(std::string_view name) {
  std::string safe(name.substr(0, 120));
  for (char& c : safe) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  if (!safe.empty() && safe[0] == '.') safe[0] = '_';
  return safe;
}

std::string shortened(std::string_view text, size_t width) {
  if (width_of(text) <= width || width < 5) return std::string(text);
  const auto continues = [&text](size_t at) {
    return at < text.size() && (text[at] & 0xC0) == 0x80;
  };
  size_t head = (width - 1) / 2;
  size_t tail = text.size() - (width - 1 - head);
  while (head > 0 && continues(head)) --head;
  while (continues(tail)) ++tail;
  return std::string(text.substr(0, head)) + "…" + std::string(text.substr(tail));
}

std::string html_escaped(std::string_view text) { return markup_escaped(text); }

void TextTable::add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = shown_text(cell, LineEnds::escape);
  rows_.push_back(std::move(row));
}

namespace {

constexpr size_t kBelow = 4;

// Columns [first, last) of one line of a table.
struct ColumnGroup {
  size_t first, last, indent;
};

// As many columns in a line as `width` characters hold; what is left follows in lines below.
std::vector<ColumnGroup> column_groups(const std::vector<size_t>& widths, size_t indent,
                                       size_t width) {
  std::vector<ColumnGroup> groups;
  for (size_t first = 0; first < widths.size();) {
    const size_t margin = groups.empty() ? indent : indent + kBelow;
    size_t last = first + 1, used = margin + widths[first];
    while (last < widths.size() && used + 2 + widths[last] <= width) {
      used += 2 + widths[last++];
    }
    groups.push_back({first, last, margin});
    first = last;
  }
  return groups;
}

std::string without_blanks(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string TextTable::text(size_t indent, size_t width) const {
  std::vector<size_t> widths;
  for (const Column& c : columns_) widths.push_back(width_of(c.title));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  const std::vector<ColumnGroup> groups = column_groups(widths, indent, width);
  const size_t last = columns_.size() - 1;
  // Words at the end of the row: below only where they do not fit beside the rest.
  const bool hangs =
      groups.size() == 2 && groups[1].first == last && columns_[last].align == Align::left;
  const auto lines = [&](const auto& cell) {
    std::string text;
    for (const ColumnGroup& g : groups) {
      std::string out(g.indent, ' ');
      for (size_t i = g.first; i < g.last; ++i) {
        const std::string content = cell(i);
        const std::string pad(widths[i] - std::min(widths[i], width_of(content)), ' ');
        out += columns_[i].align == Align::right ? pad + content : content + pad;
        if (i + 1 < g.last) out += "  ";
      }
      if (hangs && g.first == 0 && width_of(out) + 2 + width_of(cell(last)) <= width) {
        return without_blanks(out + "  " + cell(last)) + "\n";
      }
      out = without_blanks(out);
      if (hangs && g.first == last) {
        text += folded(out, g.indent);
      } else if (g.first == 0 || !out.empty()) {
        text += out + "\n";
      }
    }
    return text;
  };
  std::string out = lines([this](size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) {
    out += lines([&row](size_t i) { return i < row.size() ? row[i] : std::string(); });
  }
  return out;
}

}  // namespace edgetwin::report
