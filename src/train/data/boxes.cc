// Pictures with objects: images/ and boxes.csv with a row for each object, perhaps in train/, val/
// and test/. A picture without a row has no object.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/file.h"
#include "train/data/data.h"
#include "train/data/table_rows.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostObjectClasses = 4096;
constexpr std::array kBoxColumns = {"file", "label", "left", "top", "right", "bottom"};

using ObjectTable = std::map<std::string, std::vector<TableObject>>;

std::optional<double> pixels_of(const std::string& cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto read = std::from_chars(cell.data(), end, value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

// The columns of a header, in the order of kBoxColumns.
Result<std::array<size_t, kBoxColumns.size()>> columns_of(const TableRow& header,
                                                          const std::string& file) {
  std::array<size_t, kBoxColumns.size()> columns{};
  for (size_t i = 0; i < kBoxColumns.size(); ++i) {
    const auto at = std::find(header.cells.begin(), header.cells.end(), kBoxColumns[i]);
    if (at == header.cells.end()) {
      return table_error(file, header.line,
                         std::string("the table of boxes has no column '") + kBoxColumns[i] +
                             "'; its columns are file, label, left, top, right, bottom");
    }
    columns[i] = static_cast<size_t>(at - header.cells.begin());
  }
  return columns;
}

class BoxReader {
 public:
  BoxReader(const DataOptions& options, Data& data) : options_(options), data_(data) {
    data_.classes = options.classes;
  }

  Status append(const fs::path& folder, DataSet& set) {
    set.kind = TargetKind::boxes;
    const fs::path path = folder / "boxes.csv";
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(path));
    EDGETWIN_TRY_ASSIGN(ObjectTable table, parse_boxes(as_text(bytes), path.string(), data_.classes,
                                                       !options_.classes.empty()));
    for (const std::string& name : pictures_in(folder / "images")) {
      PictureSize size;
      EDGETWIN_TRY(append_picture(folder / "images" / name, options_, set, &size));
      ItemBoxes& boxes = set.boxes.emplace_back();
      const auto own = table.extract(name);
      if (own.empty()) continue;
      for (const TableObject& o : own.mapped()) {
        EDGETWIN_TRY(append_object(o, size, path.string(), boxes));
      }
    }
    if (table.empty()) return Ok{};
    return table_error(path.string(), table.begin()->second[0].line,
                       "there is no picture '" + table.begin()->first + "' in images/");
  }

 private:
  static Status append_object(const TableObject& o, const PictureSize& size,
                              const std::string& file, ItemBoxes& boxes) {
    const auto& [left, top, right, bottom] = o.corners;
    if (left < 0 || top < 0 || right > size.width || bottom > size.height) {
      return table_error(file, o.line,
                         "the box leaves its picture, which is " + std::to_string(size.height) +
                             "x" + std::to_string(size.width));
    }
    boxes.labels.push_back(o.label);
    boxes.corners.push_back(
        {static_cast<float>(left / size.width), static_cast<float>(top / size.height),
         static_cast<float>(right / size.width), static_cast<float>(bottom / size.height)});
    return Ok{};
  }

  const DataOptions& options_;
  Data& data_;
};

// Classes that the options do not order are sorted by the bytes of their names.
void sort_classes(Data& data, const std::vector<DataSet*>& sets) {
  std::vector<std::string> sorted = data.classes;
  std::sort(sorted.begin(), sorted.end());
  for (DataSet* set : sets) {
    for (ItemBoxes& boxes : set->boxes) {
      for (int64_t& label : boxes.labels) {
        const std::string& name = data.classes[static_cast<size_t>(label)];
        label = std::lower_bound(sorted.begin(), sorted.end(), name) - sorted.begin();
      }
    }
  }
  data.classes = std::move(sorted);
}

}  // namespace

Result<std::map<std::string, std::vector<TableObject>>> parse_boxes(
    std::string_view text, const std::string& file, std::vector<std::string>& classes,
    bool classes_are_known) {
  EDGETWIN_TRY_ASSIGN(const std::vector<TableRow> rows, rows_of(text, file));
  EDGETWIN_TRY_ASSIGN(const auto columns, columns_of(rows[0], file));
  ObjectTable table;
  for (size_t r = 1; r < rows.size(); ++r) {
    const TableRow& row = rows[r];
    TableObject o{.label = 0, .corners = {}, .line = row.line};
    for (size_t i = 0; i < o.corners.size(); ++i) {
      const std::string& cell = row.cells[columns[i + 2]];
      const auto value = pixels_of(cell);
      if (!value) return table_error(file, row.line, "'" + cell + "' is not a number of pixels");
      o.corners[i] = *value;
    }
    if (o.corners[0] >= o.corners[2] || o.corners[1] >= o.corners[3]) {
      return table_error(file, row.line,
                         "the box has no area: left is below right, top below bottom");
    }
    const std::string& word = row.cells[columns[1]];
    const auto at = std::find(classes.begin(), classes.end(), word);
    if (at == classes.end() && (classes_are_known || classes.size() >= kMostObjectClasses)) {
      return broken(Rule::label, "line " + std::to_string(row.line) + " has the class '" + word +
                                     "', which is not known")
          .in_file(file);
    }
    o.label = at - classes.begin();
    if (at == classes.end()) classes.push_back(word);
    table[row.cells[columns[0]]].push_back(o);
  }
  return table;
}

bool has_boxes(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "boxes.csv", failed) || fs::exists(folder / "train/boxes.csv", failed);
}

Result<Data> read_boxes(const fs::path& folder, const DataOptions& options) {
  Data data;
  data.format = "boxes";
  BoxReader reader(options, data);
  std::error_code failed;
  if (!fs::exists(folder / "train/boxes.csv", failed)) {
    DataSet all;
    EDGETWIN_TRY(reader.append(folder, all));
    if (options.classes.empty()) sort_classes(data, {&all});
    data.remarks.emplace_back("no test part: " + shares_text(options.split) +
                              " by a hash of the name");
    data.divided = true;
    EDGETWIN_TRY(divide(
        all, [&](size_t i) -> Result<Part> { return part_by_name(all.names[i], options.split); },
        data));
    return data;
  }
  EDGETWIN_TRY(reader.append(folder / "train", data.train));
  const size_t own = data.train.items();
  if (fs::exists(folder / "val/boxes.csv", failed)) {
    EDGETWIN_TRY(reader.append(folder / "val", data.train));
  }
  for (size_t i = own; i < data.train.items(); ++i) {
    data.validation.push_back(static_cast<uint32_t>(i));
  }
  EDGETWIN_TRY(reader.append(folder / "test", data.test));
  if (options.classes.empty()) sort_classes(data, {&data.train, &data.test});
  return data;
}

}  // namespace edgetwin::train
