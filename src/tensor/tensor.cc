#include "tensor/tensor.h"

#include <algorithm>

#include "tensor/float16.h"

namespace edgetwin {

bool within_limits(DType type, const Shape& shape) {
  int64_t total = std::max(1, bits(type) / 8);
  for (const int64_t dim : shape.dims()) {
    if (dim < 0 || total > kMaxTensorBytes / std::max<int64_t>(1, dim)) return false;
    total *= std::max<int64_t>(1, dim);
  }
  return true;
}

Result<Tensor> Tensor::zeros(DType dtype, const Shape& shape) {
  const auto elements = checked_elements(shape.dims(), kMaxTensorBytes);
  if (!elements || storage_bytes(dtype, *elements) > kMaxTensorBytes) {
    return Error(ErrorCode::out_of_memory,
                 "a tensor of " + to_string(shape) + " " + std::string(edgetwin::name(dtype)) +
                     " exceeds the limit of " + std::to_string(kMaxTensorBytes) + " bytes");
  }
  Tensor t;
  t.dtype = dtype;
  t.shape = shape;
  t.data.resize(static_cast<size_t>(storage_bytes(dtype, *elements)));
  return t;
}

namespace {

template <class T>
double load(ByteSpan data, int64_t index) {
  T value;
  std::memcpy(&value, data.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

}  // namespace

double element_as_double(DType type, ByteSpan data, int64_t index) {
  switch (type) {
    case DType::float32:
      return load<float>(data, index);
    case DType::float64:
      return load<double>(data, index);
    case DType::float16:
      return half_to_float(static_cast<uint16_t>(load<uint16_t>(data, index)));
    case DType::int8:
      return load<int8_t>(data, index);
    case DType::uint8:
      return load<uint8_t>(data, index);
    case DType::int16:
      return load<int16_t>(data, index);
    case DType::uint16:
      return load<uint16_t>(data, index);
    case DType::int32:
      return load<int32_t>(data, index);
    case DType::uint32:
      return load<uint32_t>(data, index);
    case DType::int64:
      return load<int64_t>(data, index);
    case DType::uint64:
      return load<uint64_t>(data, index);
    case DType::boolean:
      return load<uint8_t>(data, index);
    default:
      return 0.0;
  }
}

}  // namespace edgetwin
