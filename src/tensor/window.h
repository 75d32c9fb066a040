// The geometry of everything that slides a window over a picture: convolutions and pooling.
#pragma once

#include <algorithm>
#include <cstdint>

namespace edgetwin {

// All sizes in elements; layout NHWC. `pad_top` and `pad_left` are the rows and columns that the
// window hangs over before the picture; what it hangs over after follows from the output size.
struct Window2D {
  int batch = 1;
  int in_h = 0, in_w = 0, in_c = 0;
  int out_h = 0, out_w = 0, out_c = 0;
  int kernel_h = 1, kernel_w = 1;
  int stride_h = 1, stride_w = 1;
  int dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_left = 0;

  int row(int out_y, int ky) const { return out_y * stride_h - pad_top + ky * dilation_h; }
  int column(int out_x, int kx) const { return out_x * stride_w - pad_left + kx * dilation_w; }
  bool inside(int y, int x) const { return y >= 0 && y < in_h && x >= 0 && x < in_w; }
};

}  // namespace edgetwin
