#include "train/cases/arrays.h"

#include "base/file.h"
#include "tensor/npy.h"
#include "train/rules/rules.h"

namespace edgetwin::train {
namespace {

Shape shape_of(int items, int channels, int h, int w, int rank) {
  Shape shape = {items, channels};
  if (rank > 2) shape.push_back(h);
  if (rank > 3) shape.push_back(w);
  return shape;
}

template <class T>
MapsOf<T> maps_like(const Shape& shape) {
  const auto size = [&](int axis) {
    return axis < shape.rank() ? static_cast<int>(shape[axis]) : 1;
  };
  return {size(0), size(2), size(3), size(1)};
}

// Calls move(index in (n, c, h, w), index in (n, h, w, c)) for all elements.
template <class T, class Move>
void for_elements(const MapsOf<T>& maps, const Move& move) {
  const int64_t places = int64_t{maps.h} * maps.w;
  for (int64_t item = 0; item < maps.n; ++item) {
    for (int64_t c = 0; c < maps.c; ++c) {
      for (int64_t p = 0; p < places; ++p) {
        const int64_t first = item * maps.item_size();
        move(static_cast<size_t>(first + c * places + p),
             static_cast<size_t>(first + p * maps.c + c));
      }
    }
  }
}

template <class T>
std::vector<T> planes(const MapsOf<T>& maps) {
  std::vector<T> result(maps.values.size());
  for_elements(maps, [&](size_t plane, size_t at) { result[plane] = maps.values[at]; });
  return result;
}

}  // namespace

Result<CaseArrays> CaseArrays::read(const std::filesystem::path& path) {
  EDGETWIN_TRY_ASSIGN(const Bytes data, read_file(path));
  CaseArrays arrays;
  arrays.file_ = path.string();
  EDGETWIN_TRY_ASSIGN(arrays.tensors_, read_npz(data, arrays.file_));
  return arrays;
}

const Tensor* CaseArrays::find(const std::string& name) const {
  for (const Tensor& t : tensors_) {
    if (t.name != name) continue;
    used_.insert(name);
    return &t;
  }
  return nullptr;
}

Result<const Tensor*> CaseArrays::get(const std::string& name) const {
  if (const Tensor* found = find(name)) return found;
  return broken(Rule::recorded_case, "the case has no array of this name")
      .in_file(file_)
      .in_field(name);
}

Result<std::vector<float>> CaseArrays::floats(const std::string& name) const {
  EDGETWIN_TRY_ASSIGN(const Tensor* tensor, get(name));
  return float_values(*tensor);
}

Result<std::vector<int64_t>> CaseArrays::integers(const std::string& name) const {
  EDGETWIN_TRY_ASSIGN(const Tensor* tensor, get(name));
  return integer_values(*tensor);
}

std::vector<float> CaseArrays::floats_or_none(const std::string& name) const {
  const Tensor* tensor = find(name);
  return tensor == nullptr ? std::vector<float>() : float_values(*tensor);
}

std::vector<float> float_values(const Tensor& tensor) {
  std::vector<float> result;
  for (int64_t i = 0; i < tensor.shape.elements(); ++i) {
    result.push_back(static_cast<float>(element_as_double(tensor.dtype, tensor.data, i)));
  }
  return result;
}

std::vector<int64_t> integer_values(const Tensor& tensor) {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < tensor.shape.elements(); ++i) {
    result.push_back(static_cast<int64_t>(element_as_double(tensor.dtype, tensor.data, i)));
  }
  return result;
}

Maps maps_of(const Tensor& tensor) {
  Maps maps = maps_like<float>(tensor.shape);
  const std::vector<float> values = float_values(tensor);
  for_elements(maps, [&](size_t plane, size_t at) { maps.values[at] = values[plane]; });
  return maps;
}

IntMaps integer_maps_of(const Tensor& tensor) {
  IntMaps maps = maps_like<int32_t>(tensor.shape);
  const std::vector<int64_t> values = integer_values(tensor);
  for_elements(maps, [&](size_t plane, size_t at) {
    maps.values[at] = static_cast<int32_t>(values[plane]);
  });
  return maps;
}

template <class T>
void CaseResults::put(const std::string& name, DType type, const Shape& shape,
                      std::span<const T> values) {
  Tensor tensor;
  tensor.name = name;
  tensor.dtype = type;
  tensor.shape = shape;
  tensor.data = to_bytes(std::as_bytes(values));
  tensors_.push_back(std::move(tensor));
}

void CaseResults::add(const std::string& name, const Shape& shape, std::span<const float> values) {
  put(name, DType::float32, shape, values);
}

void CaseResults::add(const std::string& name, const Shape& shape, std::span<const double> values) {
  put(name, DType::float64, shape, values);
}

void CaseResults::add(const std::string& name, DType type, const Shape& shape,
                      std::span<const int32_t> values) {
  const std::vector<int8_t> bytes(values.begin(), values.end());
  const std::vector<int16_t> words(values.begin(), values.end());
  const std::vector<int64_t> longs(values.begin(), values.end());
  if (type == DType::int8) put(name, type, shape, std::span(bytes));
  if (type == DType::int16) put(name, type, shape, std::span(words));
  if (type == DType::int32) put(name, type, shape, values);
  if (type == DType::int64) put(name, type, shape, std::span(longs));
}

void CaseResults::add(const std::string& name, const Maps& maps, int rank) {
  add(name, shape_of(maps.n, maps.c, maps.h, maps.w, rank), planes(maps));
}

void CaseResults::add(const std::string& name, const IntMaps& maps, int rank) {
  add(name, DType::int32, shape_of(maps.n, maps.c, maps.h, maps.w, rank), planes(maps));
}

}  // namespace edgetwin::train
