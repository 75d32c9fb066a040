#include "evaluate/parts/record.h"
#include "evaluate/rules/rules.h"

#include <charconv>

namespace edgetwin::evaluation {
namespace {

constexpr std::string_view kEscaped = "%\t\n\r";
constexpr char kDigits[] = "0123456789ABCDEF";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (kEscaped.find(c) == std::string_view::npos) {
      out += c;
      continue;
    }
    out += '%';
    out += kDigits[static_cast<unsigned char>(c) >> 4];
    out += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return out;
}

std::string plain(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto [end, failed] = std::from_chars(&text[i + 1], &text[i + 1] + 2, code, 16);
      if (failed == std::errc() && end == &text[i + 1] + 2) {
        out += static_cast<char>(code);
        i += 2;
        continue;
      }
    }
    out += text[i];
  }
  return out;
}

std::string_view next_word(std::string_view& rest, char by) {
  const size_t at = rest.find(by);
  const std::string_view word = rest.substr(0, at);
  rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
  return word;
}

bool read_integers(std::string_view text, Row& row) {
  while (!text.empty()) {
    const std::string_view word = next_word(text, ' ');
    int64_t value = 0;
    const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failed != std::errc() || end != word.data() + word.size()) return false;
    row.push_back(value);
  }
  return true;
}

std::string integers_text(const Row& row) {
  std::string text;
  for (const int64_t v : row) text += (text.empty() ? "" : " ") + std::to_string(v);
  return text;
}

bool read_columns(std::string_view rest, const RecordForm& form, Record& record) {
  for (size_t m = 0; m < form.models; ++m) {
    Row row;
    if (!read_integers(next_word(rest, '\t'), row) || !is_row(form.task, row)) return false;
    record.rows.push_back(std::move(row));
    if (m == 0) continue;
    Row two;
    if (!read_integers(next_word(rest, '\t'), two) || two.size() != 2) return false;
    if (two[0] < 0 || two[0] > two[1] || two[1] > int64_t{1} << 32) return false;
    record.agreed.push_back({two[0], two[1]});
  }
  return rest.empty();
}

}  // namespace

std::string line_of(const Record& record) {
  std::string line =
      std::to_string(record.index) + "\t" + escaped(record.name) + "\t" + escaped(record.broken);
  for (size_t m = 0; m < record.rows.size(); ++m) {
    line += "\t" + integers_text(record.rows[m]);
    if (m == 0) continue;
    const Agreed& a = record.agreed[m - 1];
    line += "\t" + std::to_string(a.same) + " " + std::to_string(a.of);
  }
  return line;
}

Result<Record> record_of(std::string_view line, const RecordForm& form, const std::string& file) {
  const auto bad = [&](const std::string& what) {
    return broken(Rule::part_form, what)
        .in_file(file)
        .detail("line: " + std::string(line.substr(0, 60)));
  };
  Record record;
  std::string_view rest = line;
  const std::string_view index = next_word(rest, '\t');
  const auto [end, failed] =
      std::from_chars(index.data(), index.data() + index.size(), record.index);
  if (failed != std::errc() || end != index.data() + index.size() || record.index >= form.samples) {
    return bad("a line does not begin with the index of a sample");
  }
  record.name = plain(next_word(rest, '\t'));
  record.broken = plain(next_word(rest, '\t'));
  if (!record.broken.empty()) {
    if (!rest.empty()) return bad("a line of a broken sample has numbers");
    return record;
  }
  if (!read_columns(rest, form, record))
    return bad("the numbers of a line are not those of the task");
  return record;
}

}  // namespace edgetwin::evaluation
