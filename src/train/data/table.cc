// Tables: a header, a column `label` (classes) or `y` (numbers), all others numbers; or rows of
// `file` and `label` beside pictures.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "base/file.h"
#include "train/data/data.h"
#include "train/data/table_rows.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

std::optional<double> number_in(const std::string& cell) {
  double value = 0;
  const char* first = cell.data() + (cell.starts_with("+") ? 1 : 0);
  const auto end = std::from_chars(first, cell.data() + cell.size(), value);
  if (end.ec != std::errc() || end.ptr != cell.data() + cell.size()) return std::nullopt;
  return value;
}

class Table {
 public:
  Table(const std::string& file, const DataOptions& options, Data& data)
      : file_(file), options_(options), data_(data) {}

  Status read(std::string_view text) {
    EDGETWIN_TRY_ASSIGN(rows_, rows_of(text, file_));
    const std::vector<std::string>& header = rows_[0].cells;
    for (size_t c = 0; c < header.size(); ++c) {
      if (header[c] == "label" || header[c] == "y") {
        target_ = c;
      } else if (header[c] == "file") {
        path_ = c;
      } else {
        inputs_.push_back(c);
      }
    }
    if (!target_) return table_error(file_, 1, "the header has neither `label` nor `y`");
    if (!path_ && inputs_.empty()) return table_error(file_, 1, "the header has no other columns");
    return Ok{};
  }

  bool has_files() const { return path_.has_value(); }

  // Tables of one data set have the same columns in the same order.
  Status check_header(const Table& first) const {
    if (rows_[0].cells == first.rows_[0].cells) return Ok{};
    return table_error(file_, rows_[0].line, "the header is not that of " + first.file_);
  }

  // Reads the cells of numbers; `ranges`, one per column, see those of all tables of a data set.
  Status see(std::vector<RealRange>& ranges) {
    ranges.resize(inputs_.size());
    std::vector<RealRange> own(inputs_.size());
    for (size_t i = 1; i < rows_.size(); ++i) {
      for (size_t c = 0; c < inputs_.size(); ++c) {
        const std::string& cell = rows_[i].cells[inputs_[c]];
        const auto value = number_in(cell);
        if (!value) return table_error(file_, rows_[i].line, "'" + cell + "' is not a number");
        values_.push_back(*value);
        ranges[c].see(*value);
        own[c].see(*value);
      }
    }
    for (size_t c = 0; c < own.size(); ++c) EDGETWIN_TRY(own[c].decide(file_, column(c)));
    return Ok{};
  }

  // What was decided for each column, for the log.
  Status describe(const std::vector<RealRange>& ranges) {
    for (size_t c = 0; c < ranges.size(); ++c) {
      EDGETWIN_TRY_ASSIGN(std::string remark, ranges[c].decide(file_, column(c)));
      data_.remarks.push_back(std::move(remark));
    }
    return Ok{};
  }

  Status numbers(const std::vector<RealRange>& ranges, DataSet& set) const {
    const size_t window = options_.window > 0 ? static_cast<size_t>(options_.window) : 1;
    const size_t hop = options_.hop > 0 ? static_cast<size_t>(options_.hop) : window;
    set.channels = static_cast<int>(inputs_.size());
    set.height = static_cast<int>(window);
    set.width = 1;
    for (size_t first = 1; first + window <= rows_.size(); first += hop) {
      for (size_t c = 0; c < inputs_.size(); ++c) {
        for (size_t t = 0; t < window; ++t) {
          set.bytes.push_back(ranges[c].byte(values_[(first - 1 + t) * inputs_.size() + c]));
        }
      }
      EDGETWIN_TRY(target_of(first, window, set));
      set.names.push_back("row " + std::to_string(rows_[first].line));
    }
    return Ok{};
  }

  Status pictures(const fs::path& folder, DataSet& set) {
    for (size_t i = 1; i < rows_.size(); ++i) {
      const std::string& name = rows_[i].cells[*path_];
      EDGETWIN_TRY(append_picture(folder / name, options_, set));
      set.names.back() = name;
      EDGETWIN_TRY(target_of(i, 1, set));
    }
    return Ok{};
  }

  // Classes by name: numbers as they are, words sorted by their bytes.
  Status name_classes() {
    const std::string& column = rows_[0].cells[*target_];
    if (takes_values()) return Ok{};
    std::vector<std::string> words;
    int64_t largest = -1;
    for (size_t i = 1; i < rows_.size(); ++i) {
      const std::string& cell = rows_[i].cells[*target_];
      const auto n = number_in(cell);
      if (n && *n >= 0 && *n < 65536 && *n == static_cast<double>(static_cast<int64_t>(*n))) {
        largest = std::max(largest, static_cast<int64_t>(*n));
      } else {
        words.push_back(cell);
      }
    }
    if (column == "y" && !words.empty()) {
      return table_error(
          file_, 1,
          "`y` has '" + words[0] + "', which is no class from 0: `loss: mse` takes numbers");
    }
    if (words.empty()) {
      data_.classes = options_.classes;
      for (auto c = static_cast<int64_t>(data_.classes.size()); c <= largest; ++c) {
        data_.classes.push_back(std::to_string(c));
      }
      return Ok{};
    }
    for (size_t i = 1; i < rows_.size(); ++i) words.push_back(rows_[i].cells[*target_]);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    if (data_.classes.empty()) data_.classes = options_.classes.empty() ? words : options_.classes;
    for (size_t c = 0; c < data_.classes.size(); ++c) {
      by_name_[data_.classes[c]] = static_cast<int64_t>(c);
    }
    return Ok{};
  }

 private:
  bool takes_values() const { return options_.values; }

  const std::string& column(size_t input) const { return rows_[0].cells[inputs_[input]]; }

  Result<int64_t> class_of(const TableRow& row) const {
    const std::string& cell = row.cells[*target_];
    if (by_name_.empty()) return static_cast<int64_t>(number_in(cell).value_or(0));
    const auto found = by_name_.find(cell);
    if (found != by_name_.end()) return found->second;
    return broken(Rule::label, "line " + std::to_string(row.line) + " has the class '" + cell +
                                   "', which is not known")
        .in_file(file_);
  }

  // The class that most rows of the window have, the lower of equal ones; of numbers the mean.
  Status target_of(size_t first, size_t window, DataSet& set) const {
    if (takes_values()) {
      double sum = 0;
      for (size_t i = first; i < first + window; ++i) {
        const auto value = number_in(rows_[i].cells[*target_]);
        if (!value || !std::isfinite(*value)) {
          return table_error(file_, rows_[i].line,
                             "'" + rows_[i].cells[*target_] + "' is not a number");
        }
        sum += *value;
      }
      set.kind = TargetKind::values;
      set.value_count = 1;
      set.values.push_back(static_cast<float>(sum / static_cast<double>(window)));
      return Ok{};
    }
    std::map<int64_t, int> counts;
    for (size_t i = first; i < first + window; ++i) {
      EDGETWIN_TRY_ASSIGN(const int64_t label, class_of(rows_[i]));
      ++counts[label];
    }
    const auto best =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    set.labels.push_back(best->first);
    return Ok{};
  }

  const std::string& file_;
  const DataOptions& options_;
  Data& data_;
  std::vector<TableRow> rows_;
  std::optional<size_t> target_, path_;
  std::vector<size_t> inputs_;
  std::vector<double> values_;  // of the input columns, row by row
  std::map<std::string, int64_t> by_name_;
};

// A table of a file, with its text and its options.
struct TableFile {
  std::string name;
  DataOptions options;
  std::optional<Table> table;

  Status open(const fs::path& path, const DataOptions& with, Data& data) {
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(path));
    name = path.string();
    options = with;
    table.emplace(name, options, data);
    EDGETWIN_TRY(table->read(as_text(bytes)));
    return table->name_classes();
  }
};

Status read_alone(const fs::path& path, const DataOptions& options, Data& data, DataSet& all) {
  TableFile file;
  EDGETWIN_TRY(file.open(path, options, data));
  if (file.table->has_files()) return file.table->pictures(path.parent_path(), all);
  std::vector<RealRange> ranges;
  EDGETWIN_TRY(file.table->see(ranges));
  EDGETWIN_TRY(file.table->describe(ranges));
  return file.table->numbers(ranges, all);
}

// Both tables together decide the ranges: a number means the same in each.
Status read_both(const fs::path& folder, const DataOptions& options, Data& data) {
  TableFile train, test;
  EDGETWIN_TRY(train.open(folder / "train.csv", options, data));
  DataOptions known = options;
  known.classes = data.classes;
  EDGETWIN_TRY(test.open(folder / "test.csv", known, data));
  EDGETWIN_TRY(test.table->check_header(*train.table));
  if (train.table->has_files()) {
    EDGETWIN_TRY(train.table->pictures(folder, data.train));
    return test.table->pictures(folder, data.test);
  }
  std::vector<RealRange> ranges;
  EDGETWIN_TRY(train.table->see(ranges));
  EDGETWIN_TRY(test.table->see(ranges));
  EDGETWIN_TRY(train.table->describe(ranges));
  EDGETWIN_TRY(train.table->numbers(ranges, data.train));
  return test.table->numbers(ranges, data.test);
}

Status divide_by_name(const DataSet& all, const Shares& shares, Data& data) {
  data.remarks.emplace_back("no test part: " + shares_text(shares) +
                            " by a hash of the name or row");
  data.divided = true;
  return divide(
      all, [&](size_t i) -> Result<Part> { return part_by_name(all.names[i], shares); }, data);
}

}  // namespace

fs::path table_in(const fs::path& folder) {
  std::error_code failed;
  if (folder.extension() == ".csv" && fs::is_regular_file(folder, failed)) return folder;
  if (fs::exists(folder / "train.csv", failed)) return folder / "train.csv";
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".csv") found.push_back(entry.path());
  }
  return found.size() == 1 ? found[0] : fs::path();
}

Result<Data> parse_table(std::string_view text, const std::string& file,
                         const DataOptions& options) {
  Data data;
  data.format = "csv";
  Table table(file, options, data);
  EDGETWIN_TRY(table.read(text));
  if (table.has_files()) return table_error(file, 1, "pictures need a folder");
  EDGETWIN_TRY(table.name_classes());
  std::vector<RealRange> ranges;
  EDGETWIN_TRY(table.see(ranges));
  EDGETWIN_TRY(table.describe(ranges));
  DataSet all;
  EDGETWIN_TRY(table.numbers(ranges, all));
  EDGETWIN_TRY(divide_by_name(all, options.split, data));
  return data;
}

Result<Data> read_table(const fs::path& folder, const DataOptions& options) {
  const fs::path first = table_in(folder);
  Data data;
  data.format = "csv";
  std::error_code failed;
  const fs::path beside = first.parent_path();
  if (first.filename() == "train.csv" && fs::exists(beside / "test.csv", failed)) {
    EDGETWIN_TRY(read_both(beside, options, data));
    return data;
  }
  DataSet all;
  EDGETWIN_TRY(read_alone(first, options, data, all));
  EDGETWIN_TRY(divide_by_name(all, options.split, data));
  return data;
}

}  // namespace edgetwin::train
