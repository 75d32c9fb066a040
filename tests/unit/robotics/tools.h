// What the tests of the modules share.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "robotics/engine/twin_engine.h"
#include "robotics/picture.h"
#include "tensor/tensor.h"

namespace edgetwin::robotics::testing {

inline Tensor picture(int height, int width, int channels, uint8_t value) {
  Tensor t = *Tensor::zeros(DType::uint8, {height, width, channels});
  std::fill(t.as<uint8_t>().begin(), t.as<uint8_t>().end(), value);
  return t;
}

// A bright disc of the given radius, in all channels or in one.
inline Tensor spot(int size, int channels, double cx, double cy, double radius, int only = -1) {
  Tensor t = picture(size, size, channels, 0);
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      if ((x - cx) * (x - cx) + (y - cy) * (y - cy) > radius * radius) continue;
      for (int c = 0; c < channels; ++c) {
        if (only >= 0 && c != only) continue;
        t.as<uint8_t>()[static_cast<size_t>((y * size + x) * channels + c)] = 255;
      }
    }
  }
  return t;
}

inline Tensor floats(const Shape& shape, const std::vector<float>& values) {
  Tensor t = *Tensor::zeros(DType::float32, shape);
  std::copy(values.begin(), values.end(), t.as<float>().begin());
  return t;
}

template <class R>
ErrorCode code_of(const R& result) {
  EXPECT_FALSE(result.ok());
  return result.ok() ? ErrorCode::internal : result.error().code;
}

}  // namespace edgetwin::robotics::testing
