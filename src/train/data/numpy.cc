// Arrays of NumPy: x_train, y_train, x_test, y_test; or x, y and split.
#include <algorithm>
#include <cmath>

#include "base/file.h"
#include "tensor/npy.h"
#include "train/data/data.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostClasses = 65'536;

Error array_error(const std::string& file, const std::string& name, std::string message) {
  return broken(Rule::data_file, std::move(message)).in_file(file).in_field(name);
}

std::string shape_of(const Tensor& t) {
  std::string text;
  for (const int64_t d : t.shape.dims()) text += (text.empty() ? "" : "x") + std::to_string(d);
  return text;
}

const Tensor* find_array(const std::vector<Tensor>& arrays, const std::string& name) {
  for (const Tensor& t : arrays) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

Result<const Tensor*> need_array(const std::vector<Tensor>& arrays, const std::string& name,
                                 const std::string& file) {
  if (const Tensor* t = find_array(arrays, name)) return t;
  Error e = array_error(file, name, "the archive has no array of this name");
  for (const Tensor& t : arrays) e.details.push_back("array: " + t.name);
  return e;
}

// A number as the byte that stands for it: the chip's integer plus 128.
Result<std::vector<uint8_t>> bytes_of(const Tensor& x, const std::string& file) {
  std::vector<uint8_t> bytes(static_cast<size_t>(x.shape.elements()));
  for (size_t i = 0; i < bytes.size(); ++i) {
    const double v = element_as_double(x.dtype, x.data, static_cast<int64_t>(i));
    double t = v;  // uint8
    if (x.dtype == DType::int8) t = v + 128;
    if (x.dtype == DType::float32) {
      if (!(v >= -1 && v <= 1)) {
        return array_error(
            file, x.name,
            "element " + std::to_string(i) + " is " + std::to_string(v) + ", not from -1 to 1");
      }
      t = std::clamp(std::floor(128 * v + 0.5), -128.0, 127.0) + 128;
    }
    bytes[i] = static_cast<uint8_t>(t);
  }
  return bytes;
}

Result<DataSet> set_of(const Tensor& x, const Tensor& y, const std::string& file) {
  const auto& dims = x.shape.dims();
  if (x.dtype != DType::uint8 && x.dtype != DType::int8 && x.dtype != DType::float32) {
    return array_error(file, x.name, "the type is not uint8, int8 or float32");
  }
  if (dims.size() < 2 || dims.size() > 4) {
    return array_error(file, x.name,
                       "the shape " + shape_of(x) + " is not items, channels and up to two sizes");
  }
  if (y.shape.dims().size() != 1 || y.shape.elements() != dims[0]) {
    return array_error(
        file, y.name,
        "the shape is " + shape_of(y) + ", there are " + std::to_string(dims[0]) + " items");
  }
  const auto size = [&](size_t axis) {
    return axis < dims.size() ? static_cast<int>(std::min<int64_t>(dims[axis], 1 << 24)) : 1;
  };
  DataSet set{.channels = size(1), .height = size(2), .width = size(3), .bytes = {}, .labels = {}};
  EDGETWIN_TRY_ASSIGN(set.bytes, bytes_of(x, file));
  for (int64_t i = 0; i < y.shape.elements(); ++i) {
    const double label = element_as_double(y.dtype, y.data, i);
    if (!(label >= 0 && label < kMostClasses) || std::floor(label) != label) {
      return broken(Rule::label, "label " + std::to_string(i) + " is " + std::to_string(label) +
                                     ", not a class from 0")
          .in_file(file)
          .in_field(y.name);
    }
    set.labels.push_back(static_cast<int64_t>(label));
  }
  return set;
}

void append_item(const DataSet& from, size_t item, DataSet& to) {
  const auto first = from.bytes.begin() + static_cast<std::ptrdiff_t>(item * from.item_size());
  to.bytes.insert(to.bytes.end(), first, first + static_cast<std::ptrdiff_t>(from.item_size()));
  to.labels.push_back(from.labels[item]);
}

// Parts by the array `split`: 0 training, 1 validation, 2 test.
Status divide(const DataSet& all, const Tensor& split, const std::string& file, Data& data) {
  if (split.shape.elements() != static_cast<int64_t>(all.items())) {
    return array_error(file, split.name,
                       "the shape is " + shape_of(split) + ", there are " +
                           std::to_string(all.items()) + " items");
  }
  for (DataSet* part : {&data.train, &data.test}) {
    part->channels = all.channels;
    part->height = all.height;
    part->width = all.width;
  }
  for (size_t i = 0; i < all.items(); ++i) {
    const double part = element_as_double(split.dtype, split.data, static_cast<int64_t>(i));
    if (part != 0 && part != 1 && part != 2) {
      return array_error(file, split.name,
                         "item " + std::to_string(i) + " has " + std::to_string(part) +
                             ", not 0 (training), 1 (validation) or 2 (test)");
    }
    if (part == 1) data.validation.push_back(static_cast<uint32_t>(data.train.items()));
    append_item(all, i, part == 2 ? data.test : data.train);
  }
  return Ok{};
}

}  // namespace

fs::path npz_in(const fs::path& folder) {
  std::error_code failed;
  if (folder.extension() == ".npz" && fs::is_regular_file(folder, failed)) return folder;
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".npz") found.push_back(entry.path());
  }
  return found.size() == 1 ? found[0] : fs::path();
}

Result<Data> read_npz_set(const fs::path& path) {
  const std::string file = path.string();
  EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(path));
  Result<std::vector<Tensor>> read = read_npz(bytes, file);
  if (!read) return array_error(file, "archive", read.error().message);
  const std::vector<Tensor>& arrays = *read;
  Data data{.train = {}, .test = {}, .classes = {}, .format = "npz", .validation = {}};
  if (find_array(arrays, "x") != nullptr) {
    EDGETWIN_TRY_ASSIGN(const Tensor* x, need_array(arrays, "x", file));
    EDGETWIN_TRY_ASSIGN(const Tensor* y, need_array(arrays, "y", file));
    EDGETWIN_TRY_ASSIGN(const Tensor* split, need_array(arrays, "split", file));
    EDGETWIN_TRY_ASSIGN(const DataSet all, set_of(*x, *y, file));
    EDGETWIN_TRY(divide(all, *split, file, data));
  } else {
    for (const auto& [set, part] : {std::pair{&data.train, "train"}, {&data.test, "test"}}) {
      EDGETWIN_TRY_ASSIGN(const Tensor* x, need_array(arrays, std::string("x_") + part, file));
      EDGETWIN_TRY_ASSIGN(const Tensor* y, need_array(arrays, std::string("y_") + part, file));
      EDGETWIN_TRY_ASSIGN(*set, set_of(*x, *y, file));
    }
  }
  int64_t largest = -1;
  for (const int64_t label : data.train.labels) largest = std::max(largest, label);
  for (int64_t c = 0; c <= largest; ++c) data.classes.push_back(std::to_string(c));
  return data;
}

}  // namespace edgetwin::train
