// CIFAR's binary files: records of one or two labels and a picture of 3x32x32 bytes.
#include <algorithm>

#include "base/file.h"
#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 32, kPlanes = 3;
constexpr size_t kPicture = size_t{kPlanes} * kSide * kSide;

bool is_there(const fs::path& file) {
  std::error_code failed;
  return fs::exists(file, failed);
}

Status append_records(const fs::path& file, size_t labels, DataSet& set) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return parse_cifar(data, labels, file.string(), set);
}

// The names of the classes, one a line; numbers where the file is missing.
std::vector<std::string> class_names_of(const fs::path& file, const DataSet& train) {
  std::vector<std::string> names;
  if (const auto data = read_file(file)) {
    std::string line;
    for (const char c : std::string(as_text(*data)) + "\n") {
      if (c == '\n') {
        if (!line.empty()) names.push_back(line);
        line.clear();
      } else if (c != '\r') {
        line += c;
      }
    }
  }
  const int64_t largest = *std::max_element(train.labels.begin(), train.labels.end());
  if (static_cast<int64_t>(names.size()) > largest) return names;
  names.clear();
  for (int64_t c = 0; c <= largest; ++c) names.push_back(std::to_string(c));
  return names;
}

}  // namespace

Status parse_cifar(ByteSpan data, size_t labels, const std::string& file, DataSet& set) {
  const size_t record = labels + kPicture;
  if (data.empty() || data.size() % record != 0) {
    return broken(Rule::data_file, "the file has " + std::to_string(data.size()) +
                                       " bytes, which is not a multiple of a record's " +
                                       std::to_string(record))
        .in_file(file)
        .at_offset(data.size() - data.size() % record);
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  for (size_t at = 0; at < data.size(); at += record) {
    set.labels.push_back(bytes[at + labels - 1]);
    set.bytes.insert(set.bytes.end(), bytes + at + labels, bytes + at + record);
  }
  return Ok{};
}

bool has_cifar(const fs::path& folder) {
  return is_there(folder / "data_batch_1.bin") || is_there(folder / "train.bin");
}

Result<Data> read_cifar(const fs::path& folder) {
  DataSet empty;
  empty.channels = kPlanes;
  empty.height = empty.width = kSide;
  Data data;
  data.train = data.test = empty;
  data.format = "cifar";
  if (is_there(folder / "data_batch_1.bin")) {
    for (int i = 1; is_there(folder / ("data_batch_" + std::to_string(i) + ".bin")); ++i) {
      EDGETWIN_TRY(
          append_records(folder / ("data_batch_" + std::to_string(i) + ".bin"), 1, data.train));
    }
    EDGETWIN_TRY(append_records(folder / "test_batch.bin", 1, data.test));
    data.classes = class_names_of(folder / "batches.meta.txt", data.train);
  } else {
    EDGETWIN_TRY(append_records(folder / "train.bin", 2, data.train));
    EDGETWIN_TRY(append_records(folder / "test.bin", 2, data.test));
    data.classes = class_names_of(folder / "fine_label_names.txt", data.train);
  }
  return data;
}

}  // namespace edgetwin::train
