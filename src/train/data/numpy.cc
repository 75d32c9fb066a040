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

// Numbers as the bytes that stand for them: the chip's integer plus 128.
std::vector<uint8_t> bytes_of(const Tensor& x, const RealRange& range) {
  std::vector<uint8_t> bytes(static_cast<size_t>(x.shape.elements()));
  for (size_t i = 0; i < bytes.size(); ++i) {
    const double v = element_as_double(x.dtype, x.data, static_cast<int64_t>(i));
    if (x.dtype == DType::float32) {
      bytes[i] = range.byte(v);
    } else {
      bytes[i] = static_cast<uint8_t>(x.dtype == DType::int8 ? v + 128 : v);
    }
  }
  return bytes;
}

Status check_x(const Tensor& x, const std::string& file) {
  if (x.dtype != DType::uint8 && x.dtype != DType::int8 && x.dtype != DType::float32) {
    return array_error(file, x.name, "the type is not uint8, int8 or float32");
  }
  const size_t rank = x.shape.dims().size();
  if (rank >= 2 && rank <= 4) return Ok{};
  return array_error(file, x.name,
                     "the shape " + shape_of(x) + " is not items, channels and up to two sizes");
}

bool is_real(const Tensor& t) { return t.dtype == DType::float32 || t.dtype == DType::float64; }

Status fill_labels(const Tensor& y, const std::string& file, DataSet& set) {
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
  return Ok{};
}

// Classes (items), masks (items, rows, columns), or numbers (items) or (items, any sizes).
Status fill_targets(const Tensor& y, const std::string& file, bool values, DataSet& set,
                    int64_t items) {
  const auto& dims = y.shape.dims();
  if (dims.empty() || dims[0] != items) {
    return array_error(
        file, y.name,
        "the shape is " + shape_of(y) + ", there are " + std::to_string(items) + " items");
  }
  if (values || (is_real(y) && dims.size() > 1)) {
    set.kind = TargetKind::values;
    set.value_count = static_cast<int>(items == 0 ? 0 : y.shape.elements() / items);
    for (int64_t i = 0; i < y.shape.elements(); ++i) {
      const double v = element_as_double(y.dtype, y.data, i);
      if (!std::isfinite(v)) {
        return array_error(file, y.name, "element " + std::to_string(i) + " is not finite");
      }
      set.values.push_back(static_cast<float>(v));
    }
    return Ok{};
  }
  if (dims.size() == 1) return fill_labels(y, file, set);
  if (dims.size() == 3 && dims[1] == set.height && dims[2] == set.width) {
    set.kind = TargetKind::masks;
    return fill_labels(y, file, set);
  }
  return array_error(file, y.name,
                     "the shape " + shape_of(y) + " is neither one class an item nor one a place");
}

Result<DataSet> set_of(const Tensor& x, const Tensor& y, const std::string& file, bool values,
                       const RealRange& range) {
  const auto& dims = x.shape.dims();
  const auto size = [&](size_t axis) {
    return axis < dims.size() ? static_cast<int>(std::min<int64_t>(dims[axis], 1 << 24)) : 1;
  };
  DataSet set;
  set.channels = size(1);
  set.height = size(2);
  set.width = size(3);
  set.bytes = bytes_of(x, range);
  EDGETWIN_TRY(fill_targets(y, file, values, set, dims[0]));
  return set;
}

// Parts by the array `split`: 0 training, 1 validation, 2 test; without it by the item's number.
Status divide_by(const DataSet& all, const Tensor* split, const Shares& shares,
                 const std::string& file, Data& data) {
  if (split == nullptr) {
    data.remarks.emplace_back("no test part: " + shares_text(shares) +
                              " by a hash of the item's number");
    data.divided = true;
    return divide(
        all, [&](size_t i) -> Result<Part> { return part_by_name(std::to_string(i), shares); },
        data);
  }
  if (split->shape.elements() != static_cast<int64_t>(all.items())) {
    return array_error(file, split->name,
                       "the shape is " + shape_of(*split) + ", there are " +
                           std::to_string(all.items()) + " items");
  }
  const auto part_of = [&](size_t i) -> Result<Part> {
    const double part = element_as_double(split->dtype, split->data, static_cast<int64_t>(i));
    if (part != 0 && part != 1 && part != 2) {
      return array_error(file, split->name,
                         "item " + std::to_string(i) + " has " + std::to_string(part) +
                             ", not 0 (training), 1 (validation) or 2 (test)");
    }
    return static_cast<Part>(static_cast<int>(part));
  };
  return divide(all, part_of, data);
}

class Archive {
 public:
  Archive(const std::vector<Tensor>& arrays, const std::string& file, const DataOptions& options,
          Data& data)
      : arrays_(arrays),
        file_(file),
        values_(options.values),
        shares_(options.split),
        data_(data) {}

  Status whole() {
    EDGETWIN_TRY_ASSIGN(const Tensor* x, array("x"));
    EDGETWIN_TRY_ASSIGN(const Tensor* y, array("y"));
    EDGETWIN_TRY(see(*x));
    EDGETWIN_TRY(decide());
    EDGETWIN_TRY_ASSIGN(const DataSet all, set_of(*x, *y, file_, values_, range_));
    return divide_by(all, find_array(arrays_, "split"), shares_, file_, data_);
  }

  Status parts() {
    const Tensor* x[3] = {};
    const Tensor* y[3] = {};
    const char* const names[] = {"train", "test", "val"};
    for (int i = 0; i < 3; ++i) {
      if (i == 2 && find_array(arrays_, "x_val") == nullptr) break;
      EDGETWIN_TRY_ASSIGN(x[i], array(std::string("x_") + names[i]));
      EDGETWIN_TRY_ASSIGN(y[i], array(std::string("y_") + names[i]));
      EDGETWIN_TRY(see(*x[i]));
    }
    EDGETWIN_TRY(decide());
    EDGETWIN_TRY_ASSIGN(data_.train, set_of(*x[0], *y[0], file_, values_, range_));
    EDGETWIN_TRY_ASSIGN(data_.test, set_of(*x[1], *y[1], file_, values_, range_));
    if (x[2] == nullptr) return Ok{};
    EDGETWIN_TRY_ASSIGN(const DataSet more, set_of(*x[2], *y[2], file_, values_, range_));
    if (more.item_size() != data_.train.item_size() || more.kind != data_.train.kind) {
      return array_error(file_, "x_val", "the shape is not that of x_train");
    }
    for (size_t i = 0; i < more.items(); ++i) {
      data_.validation.push_back(static_cast<uint32_t>(data_.train.items()));
      data_.train.append(more, i);
    }
    return Ok{};
  }

 private:
  Result<const Tensor*> array(const std::string& name) const {
    return need_array(arrays_, name, file_);
  }

  Status see(const Tensor& x) {
    EDGETWIN_TRY(check_x(x, file_));
    data_.levels = data_.levels || x.dtype != DType::uint8;
    if (x.dtype != DType::float32) return Ok{};
    name_ = x.name;
    for (int64_t i = 0; i < x.shape.elements(); ++i) {
      range_.see(element_as_double(x.dtype, x.data, i));
    }
    return Ok{};
  }

  Status decide() {
    if (name_.empty()) return Ok{};
    EDGETWIN_TRY_ASSIGN(std::string remark, range_.decide(file_, name_));
    data_.remarks.push_back(std::move(remark));
    return Ok{};
  }

  const std::vector<Tensor>& arrays_;
  const std::string& file_;
  bool values_;
  Shares shares_;
  Data& data_;
  RealRange range_;
  std::string name_;
};

Result<Data> set_of_arrays(const std::vector<Tensor>& arrays, const std::string& file,
                           const DataOptions& options) {
  Data data;
  data.format = "npz";
  Archive archive(arrays, file, options, data);
  EDGETWIN_TRY(find_array(arrays, "x") != nullptr ? archive.whole() : archive.parts());
  if (data.train.kind == TargetKind::values) return data;
  int64_t largest = -1;
  for (const int64_t label : data.train.labels) largest = std::max(largest, label);
  if (static_cast<int64_t>(options.classes.size()) > largest) data.classes = options.classes;
  for (auto c = static_cast<int64_t>(data.classes.size()); c <= largest; ++c) {
    data.classes.push_back(std::to_string(c));
  }
  return data;
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

Result<Data> parse_npz_set(ByteSpan bytes, const std::string& file, const DataOptions& options) {
  Result<std::vector<Tensor>> read = read_npz(bytes, file);
  if (!read) return array_error(file, "archive", read.error().message);
  return set_of_arrays(*read, file, options);
}

bool has_arrays(const fs::path& folder) {
  std::error_code failed;
  return fs::exists(folder / "x.npy", failed) || fs::exists(folder / "x_train.npy", failed);
}

Result<std::vector<Tensor>> arrays_in(const fs::path& folder) {
  constexpr const char* kArrays[] = {"x",      "y",      "split", "x_train", "y_train",
                                     "x_test", "y_test", "x_val", "y_val"};
  std::vector<Tensor> arrays;
  for (const char* name : kArrays) {
    const fs::path file = folder / (std::string(name) + ".npy");
    std::error_code failed;
    if (!fs::exists(file, failed)) continue;
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(file));
    Result<Tensor> array = read_npy(bytes, file.string());
    if (!array) return array_error(file.string(), name, array.error().message);
    array->name = name;
    arrays.push_back(std::move(*array));
  }
  return arrays;
}

Result<Data> read_arrays(const fs::path& folder, const DataOptions& options) {
  EDGETWIN_TRY_ASSIGN(const std::vector<Tensor> arrays, arrays_in(folder));
  return set_of_arrays(arrays, folder.string(), options);
}

}  // namespace edgetwin::train
