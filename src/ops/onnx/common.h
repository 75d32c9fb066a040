// ONNX keeps the channels before the axes of the picture; geometry here is written for the other
// order.
#pragma once

#include "tensor/shape.h"

namespace edgetwin::ops::onnx {

// NxCxHxW or NxCxW seen as NxHxWxC, H being 1 where there is none; other shapes as they are.
inline Shape channels_last(const Shape& s) {
  if (s.rank() == 3) return {s[0], 1, s[2], s[1]};
  return s.rank() == 4 ? Shape{s[0], s[2], s[3], s[1]} : s;
}

// The way back, for the result of an operator on a tensor of the shape `in`.
inline Shape channels_first(const Shape& nhwc, const Shape& in) {
  if (in.rank() == 3) return {nhwc[0], nhwc[3], nhwc[2]};
  return {nhwc[0], nhwc[3], nhwc[1], nhwc[2]};
}

}  // namespace edgetwin::ops::onnx
