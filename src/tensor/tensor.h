// A tensor that owns its bytes, and views that do not.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "tensor/dtype.h"
#include "tensor/quant.h"
#include "tensor/shape.h"

namespace edgetwin {

// 1 GiB: no tensor of a network for these chips comes near; a larger one is a damaged file.
inline constexpr int64_t kMaxTensorBytes = int64_t{1} << 30;

// Bytes of `elements` of a type, rounded up to whole bytes (int4 packs two).
inline int64_t storage_bytes(DType type, int64_t elements) {
  return (elements * bits(type) + 7) / 8;
}

// True if all sizes are known and the tensor stays within kMaxTensorBytes even without counting the
// dimensions of size 0: then no product of some of the sizes overflows.
bool within_limits(DType type, const Shape& shape);

struct Tensor {
  std::string name;
  DType dtype = DType::uint8;
  Shape shape;
  Quant quant;
  Bytes data;  // C order, little endian; storage_bytes(dtype, shape.elements()) long

  // Zero-filled. Error: out_of_memory beyond kMaxTensorBytes.
  static Result<Tensor> zeros(DType dtype, const Shape& shape);

  // The elements as T, which must be the type of `dtype`.
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(data.data()), data.size() / sizeof(T)};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(data.data()), data.size() / sizeof(T)};
  }
};

// The element at `index` of an integer, bool or float tensor as a double (exact below 2^53).
double element_as_double(DType type, ByteSpan data, int64_t index);

// Four-dimensional view of contiguous NHWC data (OHWI for filters).
template <class T>
struct View4 {
  T* data = nullptr;
  int n = 0, h = 0, w = 0, c = 0;

  T& operator()(int in, int y, int x, int ch) const {
    return data[((static_cast<int64_t>(in) * h + y) * w + x) * c + ch];
  }
};

}  // namespace edgetwin
