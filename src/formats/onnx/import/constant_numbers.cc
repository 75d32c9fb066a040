#include "formats/onnx/import/constant_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "tensor/tensor.h"

namespace edgetwin::onnx {
namespace {

template <class T>
void store(double v, std::byte* to) {
  T out;
  if constexpr (std::is_floating_point_v<T>) {
    out = static_cast<T>(v);
  } else {
    // The first number beyond; 2^63 itself is no int64.
    constexpr auto kHigh = static_cast<double>(uint64_t{1} << std::numeric_limits<T>::digits);
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    const bool beyond = !(v < kHigh);
    out = std::isnan(v) ? T{0}
          : beyond      ? std::numeric_limits<T>::max()
                        : static_cast<T>(std::max(v, low));
  }
  std::memcpy(to, &out, sizeof out);
}

Result<Bytes> bytes_of(Importer& m, const Node& n, const Numbers& numbers) {
  Bytes data(numbers.values.size() * byte_size(numbers.dtype));
  std::byte* to = data.data();
  for (const double v : numbers.values) {
    switch (numbers.dtype) {
      case DType::float32:
        store<float>(v, to);
        break;
      case DType::int64:
        store<int64_t>(v, to);
        break;
      case DType::int32:
        store<int32_t>(v, to);
        break;
      case DType::uint8:
        store<uint8_t>(v, to);
        break;
      case DType::int8:
        store<int8_t>(v, to);
        break;
      case DType::boolean:
        *to = std::byte{v != 0.0};
        break;
      default:
        return m.error(
            n, ErrorCode::onnx_tensor,
            "constants of type " + std::string(name(numbers.dtype)) + " are not computed with");
    }
    to += byte_size(numbers.dtype);
  }
  return data;
}

}  // namespace

Numbers numbers_of(const Value& v) {
  Numbers n{v.dtype, v.shape, {}};
  for (int64_t i = 0; i < v.shape.elements(); ++i) {
    n.values.push_back(element_as_double(v.dtype, *v.constant, i));
  }
  return n;
}

Status bind(Importer& m, const Node& n, const Numbers& numbers) {
  EDGETWIN_TRY_ASSIGN(Bytes data, bytes_of(m, n, numbers));
  return m.bind_constant(n, 0, numbers.dtype, numbers.shape, std::move(data));
}

Error too_large(const Importer& m, const Node& n, const Shape& shape) {
  return m.error(n, ErrorCode::out_of_memory, "a constant of " + to_string(shape));
}

}  // namespace edgetwin::onnx
