// Small tensors for tests of decoders.
#pragma once

#include <vector>

#include "tensor/tensor.h"

namespace edgetwin::decode {

inline Tensor floats(const char* name, const Shape& shape, float fill = 0.0F) {
  Tensor t = *Tensor::zeros(DType::float32, shape);
  t.name = name;
  for (float& v : t.as<float>()) v = fill;
  return t;
}

inline Tensor bytes_of(const char* name, const Shape& shape, const std::vector<int>& values,
                       float scale, int zero_point) {
  Tensor t = *Tensor::zeros(DType::uint8, shape);
  t.name = name;
  t.quant = Quant::affine(scale, zero_point);
  for (size_t i = 0; i < values.size(); ++i) t.data[i] = static_cast<std::byte>(values[i]);
  return t;
}

}  // namespace edgetwin::decode
