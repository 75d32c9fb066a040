// CIFAR's binary files: records of one or two labels and a picture of 3x32x32 bytes.
#include <algorithm>

#include "base/file.h"
#include "formats/torch/checkpoint.h"
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

// The version for Python: files without an ending.
bool has_pickles(const fs::path& folder) {
  return is_there(folder / "data_batch_1") ||
         (is_there(folder / "train") && is_there(folder / "meta") &&
          !fs::is_directory(folder / "train"));
}

Status append_pickle(const fs::path& file, DataSet& set) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(file));
  return parse_cifar_pickle(data, file.string(), set);
}

// Nothing of the file is executed: it is read as checkpoints are.
Result<torch::Checkpoint> read_pickle(ByteSpan data, const std::string& file) {
  auto pickle = torch::Checkpoint::read_pickle(data, file);
  if (pickle.ok()) return pickle;
  const Error& cause = pickle.error();
  Error error = broken(Rule::data_file, cause.message).in_file(file).in_field("pickle");
  error.place.offset = cause.place.offset;
  return error;
}

// The value of a key of the dictionary; nullptr where it is not there. Keys are texts, or bytes
// where the file was read and written again.
const torch::Node* value_of(const torch::Checkpoint& pickle, std::string_view key) {
  const torch::Node& root = pickle.node(pickle.root());
  if (root.kind != torch::NodeKind::dict) return nullptr;
  for (size_t i = 0; i + 1 < root.items.size(); i += 2) {
    if (pickle.node(root.items[i]).text == key) return &pickle.node(root.items[i + 1]);
  }
  return nullptr;
}

// Names of the classes; numbers where the file is missing or is another one.
std::vector<std::string> names_in_pickle(const fs::path& file, const char* key,
                                         const DataSet& train) {
  std::vector<std::string> names;
  if (const auto data = read_file(file)) {
    const auto pickle = read_pickle(*data, file.string());
    const torch::Node* list = pickle.ok() ? value_of(*pickle, key) : nullptr;
    if (list != nullptr) {
      for (const torch::NodeId name : list->items) names.push_back(pickle->node(name).text);
    }
  }
  int64_t largest = -1;
  for (const int64_t label : train.labels) largest = std::max(largest, label);
  for (auto c = static_cast<int64_t>(names.size()); c <= largest; ++c) {
    names.push_back(std::to_string(c));
  }
  return names;
}

Status read_pickles(const fs::path& folder, Data& data) {
  if (!is_there(folder / "data_batch_1")) {
    EDGETWIN_TRY(append_pickle(folder / "train", data.train));
    EDGETWIN_TRY(append_pickle(folder / "test", data.test));
    data.classes = names_in_pickle(folder / "meta", "fine_label_names", data.train);
    return Ok{};
  }
  for (int i = 1; is_there(folder / ("data_batch_" + std::to_string(i))); ++i) {
    EDGETWIN_TRY(append_pickle(folder / ("data_batch_" + std::to_string(i)), data.train));
  }
  EDGETWIN_TRY(append_pickle(folder / "test_batch", data.test));
  data.classes = names_in_pickle(folder / "batches.meta", "label_names", data.train);
  return Ok{};
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

Status parse_cifar_pickle(ByteSpan data, const std::string& file, DataSet& set) {
  EDGETWIN_TRY_ASSIGN(const torch::Checkpoint pickle, read_pickle(data, file));
  const auto wrong = [&](const char* key, std::string message) {
    return broken(Rule::data_file, std::move(message)).in_file(file).in_field(key);
  };
  const torch::Node* pictures = value_of(pickle, "data");
  const torch::Node* labels = value_of(pickle, "labels");
  if (labels == nullptr) labels = value_of(pickle, "fine_labels");
  if (pictures == nullptr || labels == nullptr) {
    return wrong(pictures == nullptr ? "data" : "labels", "the file has no entry of this name");
  }
  if (pictures->kind != torch::NodeKind::array || pictures->items.size() != 3 ||
      pickle.node(pictures->items[1]).dtype != DType::uint8) {
    return wrong("data", "the pictures are not an array of bytes");
  }
  const std::string& pixels = pickle.node(pictures->items[2]).text;
  if (pixels.size() != labels->items.size() * kPicture) {
    return wrong("data", "there are " + std::to_string(pixels.size()) + " bytes and " +
                             std::to_string(labels->items.size()) + " labels; a picture has " +
                             std::to_string(kPicture) + " bytes");
  }
  for (const torch::NodeId item : labels->items) {
    const torch::Node& label = pickle.node(item);
    if (label.kind != torch::NodeKind::integer || label.integer < 0 || label.integer > 255) {
      return wrong("labels", "a label is not a number of 0 to 255");
    }
    set.labels.push_back(label.integer);
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(pixels.data());
  set.bytes.insert(set.bytes.end(), bytes, bytes + pixels.size());
  return Ok{};
}

bool has_cifar(const fs::path& folder) {
  return is_there(folder / "data_batch_1.bin") || is_there(folder / "train.bin") ||
         has_pickles(folder);
}

Result<Data> read_cifar(const fs::path& folder) {
  DataSet empty;
  empty.channels = kPlanes;
  empty.height = empty.width = kSide;
  Data data;
  data.train = data.test = empty;
  data.format = "cifar";
  if (has_pickles(folder)) {
    EDGETWIN_TRY(read_pickles(folder, data));
    return data;
  }
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
