// What convolutions and pools have in common.
#pragma once

#include "transform/tflite_form/builder.h"

namespace edgetwin::transform {

struct Window {
  int64_t in_h = 1, in_w = 1, out_h = 1, out_w = 1;
  int64_t size_h = 1, size_w = 1;  // with dilation
  int64_t stride_h = 1, stride_w = 1;
};

// The window of the operator under way.
Window window_of(TfliteFormBuilder& f, int64_t size_h, int64_t size_w, int stride_h, int stride_w);
bool is_none(const Padding& p);
// True if TensorFlow Lite's SAME is this padding.
bool is_same(const Window& w, const Padding& p);
// A picture with a border of one number.
ValueId padded(TfliteFormBuilder& f, ValueId x, const Padding& p, float around = 0.0F);

}  // namespace edgetwin::transform
