// Sets that are lines of text: lists of files, and CSV.
#include <memory>

#include "base/sha256.h"
#include "evaluate/data/readers.h"
#include "evaluate/rules/rules.h"

namespace edgetwin::evaluation {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

// What stands after the path, as the task reads it.
Status read_truth(std::string_view word, const fs::path& folder, Task task, Sample& s) {
  s.truth.word = word;
  if (task == Task::segment) s.truth.mask = (folder / word).string();
  if (task != Task::regress) return Ok{};
  for (const std::string_view part : split(word, ',')) {
    EDGETWIN_TRY_ASSIGN(const double value, number_of(part, s.set_file, s.line));
    s.truth.numbers.push_back(value);
  }
  return Ok{};
}

struct Table {
  std::vector<std::vector<float>> rows;
};

// A first line without any number has the names of the columns.
bool is_heading(const std::vector<std::string_view>& cells) {
  for (const std::string_view cell : cells) {
    if (number_of(cell, "", 0).ok()) return false;
  }
  return true;
}

}  // namespace

Result<SampleSet> read_list(ByteSpan data, const fs::path& file, Task task) {
  if (task == Task::detect || task == Task::keypoints) {
    return broken(Rule::set_truth, "a list of files has no boxes and no key points")
        .in_file(file.string());
  }
  SampleSet set;
  set.kind = "list";
  int number = 0;
  for (std::string_view line : split(as_text(data), '\n')) {
    ++number;
    line = trimmed(line);
    if (line.empty() || line.front() == '#') continue;
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || tab == 0 || tab + 1 == line.size()) {
      return damaged(file.string(), number, "the line is not 'path<TAB>label'");
    }
    Sample s;
    s.name = line.substr(0, tab);
    s.file = (file.parent_path() / s.name).string();
    s.set_file = file.string();
    s.line = number;
    EDGETWIN_TRY(read_truth(line.substr(tab + 1), file.parent_path(), task, s));
    set.samples.push_back(std::move(s));
  }
  set.load = [](const Sample& s) { return load_file(s); };
  seal(set);
  return set;
}

Result<SampleSet> read_csv(ByteSpan data, const fs::path& file, Task task, int64_t input_elements) {
  if (task != Task::classify && task != Task::regress && task != Task::anomaly) {
    return broken(Rule::set_truth, "a table of numbers has no pictures").in_file(file.string());
  }
  SampleSet set;
  set.kind = "csv";
  set.pictures = false;
  const auto table = std::make_shared<Table>();
  const auto inputs = static_cast<size_t>(input_elements);
  int number = 0;
  size_t columns = 0;
  for (std::string_view line : split(as_text(data), '\n')) {
    ++number;
    line = trimmed(line);
    if (line.empty()) continue;
    const std::vector<std::string_view> cells = split(line, ',');
    if (columns == 0) {
      columns = cells.size();
      const size_t least = inputs + 1;
      if (task == Task::regress ? columns < least : columns != least) {
        return damaged(file.string(), number,
                       std::to_string(columns) + " columns, the network has " +
                           std::to_string(inputs) + " inputs, after the true values");
      }
      if (is_heading(cells)) continue;
    }
    if (cells.size() != columns) {
      return damaged(
          file.string(), number,
          std::to_string(cells.size()) + " columns, the first line has " + std::to_string(columns));
    }
    Sample s;
    s.name = "line " + std::to_string(number);
    s.set_file = file.string();
    s.line = number;
    if (task != Task::regress) s.truth.word = cells[0];
    std::vector<float> row;
    for (size_t c = task == Task::regress ? 0 : 1; c < columns; ++c) {
      EDGETWIN_TRY_ASSIGN(const double value, number_of(cells[c], file.string(), number));
      if (c + inputs < columns) {
        s.truth.numbers.push_back(value);
      } else {
        row.push_back(static_cast<float>(value));
      }
    }
    table->rows.push_back(std::move(row));
    s.place = table->rows.size() - 1;
    set.samples.push_back(std::move(s));
  }
  set.load = [table](const Sample& s) -> Result<Loaded> {
    const std::vector<float>& row = table->rows[s.place];
    Loaded loaded;
    EDGETWIN_TRY_ASSIGN(loaded.tensor,
                        Tensor::zeros(DType::float32, {static_cast<int64_t>(row.size())}));
    std::ranges::copy(row, loaded.tensor.as<float>().begin());
    return loaded;
  };
  seal(set, sha256_hex(data));
  return set;
}

}  // namespace edgetwin::evaluation
