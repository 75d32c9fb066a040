// The windows of convolutions and pools out of their attributes.
#pragma once

#include "ops/core/common.h"

namespace edgetwin::ops {

inline WindowAttrs window_of(const Conv2DAttrs& a, int64_t kernel_h, int64_t kernel_w) {
  return {.padding = a.padding,
          .stride_h = a.stride_h,
          .stride_w = a.stride_w,
          .dilation_h = a.dilation_h,
          .dilation_w = a.dilation_w,
          .kernel_h = static_cast<int>(kernel_h),
          .kernel_w = static_cast<int>(kernel_w)};
}

// Of a picture NxHxWxC. A filter of size 0 is the whole picture: global pooling.
inline WindowAttrs window_of(const PoolAttrs& a, const Shape& in) {
  const bool global = a.filter_h == 0 && a.filter_w == 0 && in.rank() == 4;
  return {.padding = a.padding,
          .stride_h = a.stride_h,
          .stride_w = a.stride_w,
          .dilation_h = 1,
          .dilation_w = 1,
          .kernel_h = global ? static_cast<int>(in[1]) : a.filter_h,
          .kernel_w = global ? static_cast<int>(in[2]) : a.filter_w};
}

}  // namespace edgetwin::ops
