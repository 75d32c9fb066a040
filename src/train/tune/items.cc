#include "train/tune/items.h"

#include <algorithm>
#include <numeric>

#include "base/file.h"
#include "tensor/npy.h"
#include "train/math/random.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

constexpr size_t kNumberBytes = 4;

bool is_data_array(const std::string& name) { return name == "x" || name.starts_with("x_"); }

size_t number_of_item(const std::vector<uint8_t>& bytes, size_t first, size_t plane) {
  size_t number = 0;
  for (size_t k = 0; k < kNumberBytes; ++k) number |= size_t{bytes[first + k * plane]} << (8 * k);
  return number;
}

int64_t size_at(const Tensor& t, int axis) { return axis < t.shape.rank() ? t.shape[axis] : 1; }

}  // namespace

// Real numbers do not fit the bytes of a DataSet: each item's bytes are its number there, four
// channels of pictures of its size, and the numbers lie beside.
class ItemReader {
 public:
  Result<ItemSets> run(const std::filesystem::path& path, const DataOptions& options,
                       const InputScale& scale) {
    EDGETWIN_TRY_ASSIGN(Data data, read(path, options));
    ItemSets sets;
    fill(sets.train, std::move(data.train), data.levels, scale);
    fill(sets.test, std::move(data.test), data.levels, scale);
    sets.validation = std::move(data.validation);
    sets.classes = std::move(data.classes);
    sets.remarks = std::move(data.remarks);
    sets.format = std::move(data.format);
    const DataSet& set = sets.train.set();
    sets.item_shape = real_ ? shape_ : std::vector<int64_t>{set.channels, set.height, set.width};
    return sets;
  }

 private:
  Result<Data> read(const std::filesystem::path& path, const DataOptions& options) {
    const std::filesystem::path archive = npz_in(path);
    const bool form = options.format.empty() || options.format == "npz";
    if (!form || (archive.empty() && !has_arrays(path))) return read_data(path, options);
    Result<std::vector<Tensor>> arrays = archive.empty() ? arrays_in(path) : unpacked(archive);
    if (!arrays) return read_data(path, options);  // says what is wrong
    for (const Tensor& t : *arrays) {
      if (is_data_array(t.name) && t.dtype == DType::float32 && t.shape.rank() >= 2) real_ = true;
    }
    if (!real_) return read_data(path, options);
    for (Tensor& t : *arrays) {
      if (is_data_array(t.name)) EDGETWIN_TRY(take(t, path.string()));
    }
    EDGETWIN_TRY_ASSIGN(const Bytes numbered, write_npz(*arrays));
    Result<Data> data = parse_npz_set(numbered, path.string(), options);
    if (data) data->remarks.emplace_back("real numbers are taken as they are");
    return data;
  }

  static Result<std::vector<Tensor>> unpacked(const std::filesystem::path& archive) {
    EDGETWIN_TRY_ASSIGN(const Bytes bytes, read_file(archive.string()));
    return read_npz(bytes, archive.string());
  }

  // The numbers of an array, and their places instead of it.
  Status take(Tensor& t, const std::string& file) {
    const std::vector<int64_t> shape = {size_at(t, 1), size_at(t, 2), size_at(t, 3)};
    if (t.dtype != DType::float32 || t.shape.rank() > 4 || t.shape.rank() < 2 ||
        (!shape_.empty() && shape != shape_)) {
      return broken(Rule::data_file, "arrays of items differ in type or shape")
          .in_file(file)
          .in_field(t.name);
    }
    shape_ = shape;
    const auto values = t.as<float>();
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::isfinite(values[i])) continue;
      return broken(Rule::data_file, "element " + std::to_string(i) + " is not finite")
          .in_file(file)
          .in_field(t.name);
    }
    const auto first = reals_->size();
    reals_->insert(reals_->end(), values.begin(), values.end());
    const auto plane = static_cast<size_t>(shape[1] * shape[2]);
    const auto items = static_cast<size_t>(t.shape[0]);
    const size_t size = static_cast<size_t>(shape[0]) * plane;
    Bytes numbers(items * kNumberBytes * plane);
    for (size_t i = 0; i < items; ++i) {
      const size_t number = first / std::max<size_t>(size, 1) + i;
      for (size_t k = 0; k < kNumberBytes; ++k) {
        numbers[(i * kNumberBytes + k) * plane] = static_cast<std::byte>(number >> (8 * k) & 255);
      }
    }
    t.dtype = DType::uint8;
    t.shape = {t.shape[0], static_cast<int64_t>(kNumberBytes), shape[1], shape[2]};
    t.data = std::move(numbers);
    return Ok{};
  }

  void fill(Items& items, DataSet set, bool levels, const InputScale& scale) const {
    items.set_ = std::move(set);
    items.real_ = real_;
    items.levels_ = levels;
    items.scale_ = scale;
    items.reals_ = reals_;
    if (real_) items.real_size_ = static_cast<size_t>(shape_[0] * shape_[1] * shape_[2]);
  }

  bool real_ = false;
  std::vector<int64_t> shape_;
  std::shared_ptr<std::vector<float>> reals_ = std::make_shared<std::vector<float>>();
};

void Items::input(size_t item, Numbers& to) const {
  const size_t first = item * set_.item_size();
  const auto plane = static_cast<size_t>(set_.height) * static_cast<size_t>(set_.width);
  to.resize(size());
  if (real_) {
    const size_t from = number_of_item(set_.bytes, first, plane) * real_size_;
    for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>((*reals_)[from + i]);
    return;
  }
  for (size_t i = 0; i < to.size(); ++i) {
    const double byte = set_.bytes[first + i];
    const size_t c = i / plane;
    const float mean = scale_.mean[scale_.mean.size() == 1 ? 0 : c];
    const float deviation = scale_.deviation[scale_.deviation.size() == 1 ? 0 : c];
    // In binary32, as pictures of --calibrate become numbers.
    to[i] = levels_ ? (byte - 128) / 128
                    : static_cast<double>((static_cast<float>(byte) - mean) / deviation);
  }
}

namespace {

Status check_scale(const InputScale& scale, const ItemSets& sets) {
  for (const auto* list : {&scale.mean, &scale.deviation}) {
    if (list->size() == 1 || static_cast<int64_t>(list->size()) == sets.item_shape[0]) continue;
    return broken(Rule::setting, std::to_string(list->size()) +
                                     " numbers for the mean or deviation of items with " +
                                     std::to_string(sets.item_shape[0]) + " channels");
  }
  return Ok{};
}

// The rest of the training items trains.
void draw_validation(ItemSets& sets, double share, uint64_t seed) {
  std::vector<uint32_t> all(sets.train.count());
  std::iota(all.begin(), all.end(), 0U);
  if (sets.validation.empty()) {
    std::vector<uint32_t> drawn = all;
    Random(seed, Purpose::validation).shuffle(drawn);
    drawn.resize(static_cast<size_t>(share * static_cast<double>(all.size())));
    sets.validation = std::move(drawn);
  }
  std::sort(sets.validation.begin(), sets.validation.end());
  std::set_difference(all.begin(), all.end(), sets.validation.begin(), sets.validation.end(),
                      std::back_inserter(sets.training));
}

}  // namespace

Result<ItemSets> read_items(const std::filesystem::path& data, const DataOptions& options,
                            const InputScale& scale, double share, uint64_t seed) {
  EDGETWIN_TRY_ASSIGN(ItemSets sets, ItemReader().run(data, options, scale));
  EDGETWIN_TRY(check_scale(scale, sets));
  draw_validation(sets, share, seed);
  if (sets.training.empty()) return broken(Rule::data_part, "no item is left for training");
  if (sets.test.count() == 0) return broken(Rule::data_part, "the test part is empty");
  return sets;
}

}  // namespace edgetwin::train
