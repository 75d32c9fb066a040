#include "train/data/table_rows.h"

#include <algorithm>

#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

constexpr size_t kMostColumns = 4096;

// Cells of a line; a cell may stand in quotes, in which two quotes are one.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

}  // namespace

Error table_error(const std::string& file, int line, std::string message) {
  Error e = broken(Rule::data_file, std::move(message));
  e.place.file = file;
  e.place.line = line;
  return e;
}

Result<std::vector<TableRow>> rows_of(std::string_view text, const std::string& file) {
  std::vector<TableRow> rows;
  int line = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++line;
    if (one.ends_with('\r')) one.remove_suffix(1);
    if (one.empty()) continue;
    rows.push_back({cells_of(one), line});
    if (rows.back().cells.size() > kMostColumns) {
      return table_error(file, line, "the line has more than 4096 cells");
    }
    if (rows.back().cells.size() == rows[0].cells.size()) continue;
    return table_error(file, line,
                       "the line has " + std::to_string(rows.back().cells.size()) +
                           " cells, the header " + std::to_string(rows[0].cells.size()));
  }
  if (rows.size() > 1) return rows;
  return table_error(file, line, "the table has no rows");
}

}  // namespace edgetwin::train
